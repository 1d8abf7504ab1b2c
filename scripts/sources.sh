#!/usr/bin/env bash
# Lists our own sources, one a line: all of them, or those whose name ends as given.
#   scripts/sources.sh [.cpp|.hpp]
set -euo pipefail
cd "$(dirname "$0")/.."
find . -path ./build -prune -o -type f -name "*${1:-.[ch]pp}" -print | sed 's|^\./||' | LC_ALL=C sort
