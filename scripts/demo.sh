#!/usr/bin/env bash
# The demo: several learners on one drifting, heavy-tailed stream, side by side.
set -euo pipefail
cd "$(dirname "$0")/.."
exec build/release/proxstream compare builtin:drift "$@"
