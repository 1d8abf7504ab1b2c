#!/usr/bin/env bash
# Builds the benchmarks in build/bench and runs them all. Arguments go to every program, such as
# --benchmark_filter=simplex.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh bench
shopt -s nullglob
programs=(build/bench/bench/*_bench)
[ ${#programs[@]} -gt 0 ] || { echo "bench: there is no benchmark in bench/" >&2; exit 1; }
for program in "${programs[@]}"; do
    echo "== ${program##*/}"
    "$program" "$@"
done
