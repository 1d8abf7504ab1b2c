#!/usr/bin/env bash
# Builds the bench in build/bench and runs it; a line is added to build/bench/history.jsonl unless the arguments
# name another file. Arguments go to the program: --rows PART, --quick, --history FILE, --docs PAGE, --list.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh bench
revision=$(git describe --always --dirty 2>/dev/null || true)
program=build/bench/bench/proxstream_bench
history=build/bench/history.jsonl
for argument; do
    case $argument in --quick | --history | --list) history= ;; esac
done
"$program" --revision "$revision" --peers bench/peers ${history:+--history "$history"} "$@"
[ -z "$history" ] || echo "added to $history"
