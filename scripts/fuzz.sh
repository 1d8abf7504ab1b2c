#!/usr/bin/env bash
# Runs every libFuzzer target of fuzz/ for the given number of executions. What a run discovers goes to
# build/fuzz/corpus/TARGET; seeds are read from fuzz/corpus/TARGET; a finding is left in build/fuzz/findings.
#   scripts/fuzz.sh RUNS
set -euo pipefail
cd "$(dirname "$0")/.."
runs=$1
scripts/build.sh fuzz
shopt -s nullglob
programs=(build/fuzz/fuzz/*_fuzz)
[ ${#programs[@]} -gt 0 ] || { echo "fuzz: there is no target in fuzz/" >&2; exit 1; }
mkdir -p build/fuzz/findings
status=0
for program in "${programs[@]}"; do
    target=$(basename "$program" _fuzz)
    corpus=build/fuzz/corpus/$target
    seeds=fuzz/corpus/$target
    mkdir -p "$corpus"
    log=build/fuzz/$target.log
    # Seeds are cut to the largest length allowed: none shall be.
    longest=$(find "$seeds" -type f -printf '%s\n' 2>/dev/null | sort -n | tail -n 1 || true)
    if "$program" -runs="$runs" -max_len=$((${longest:-0} > 512 ? longest : 512)) -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$target-" \
        "$corpus" $([ -d "$seeds" ] && echo "$seeds") >"$log" 2>&1; then
        echo "ok fuzz $target: $(awk '/number_of_executed_units/ {print $2}' "$log") executions, no finding"
    else
        echo "not ok fuzz $target"
        tail -n 40 "$log" | sed 's/^/# /'
        status=1
    fi
done
exit $status
