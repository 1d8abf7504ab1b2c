#!/usr/bin/env bash
# Builds the libFuzzer targets of fuzz/ and runs each for the given time, $JOBS at a time; 0 seconds: over the
# seeds alone. What a run discovers goes to build/fuzz/corpus/TARGET; seeds are in fuzz/corpus/TARGET, words in
# fuzz/dictionaries/TARGET.dict; a finding is left in build/fuzz/findings.
#   scripts/fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
export seconds=$1
shift
scripts/build.sh fuzz
mkdir -p build/fuzz/findings build/fuzz/logs
rm -f build/fuzz/logs/*
# Targets that need files write many, which no disk has to keep.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi

run_target() {
    local target=$1 program=build/fuzz/fuzz/$1_fuzz log=build/fuzz/logs/$1 found=build/fuzz/corpus/$1
    local seeds=fuzz/corpus/$1 words=fuzz/dictionaries/$1.dict longest limit=-max_total_time=$seconds status=0
    # Seeds are cut to the largest length allowed: none shall be.
    longest=$(find "$seeds" -type f -printf '%s\n' | sort -n | tail -n 1)
    [ "$seconds" != 0 ] || limit=-runs=0
    mkdir -p "$found"
    "$program" "$limit" -max_len=$((longest > 512 ? longest : 512)) -timeout=60 -print_final_stats=1 \
        -dict="$words" -artifact_prefix="build/fuzz/findings/$target-" "$found" "$seeds" >"$log" 2>&1 || status=$?
    local executions rate finding said
    executions=$(awk '/^stat::number_of_executed_units/ {print $2}' "$log")
    rate=$(awk '/^stat::average_exec_per_sec/ {print $2}' "$log")
    said="fuzz $target: ${executions:-0} executions, ${rate:-0} a second, corpus of $(find "$found" "$seeds" -type f | wc -l)"
    echo "${executions:-0} $status" >"$log.result"
    if [ $status = 0 ]; then
        echo "ok $said, no finding"
        return
    fi
    finding=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    echo "not ok $said; repeat the finding: $program ${finding:-$seeds/*}"
    tail -n 40 "$log" | sed 's/^/# /'
}
export -f run_target

[ $# -gt 0 ] || set -- fuzz/*_fuzz.cpp
set -- "${@#fuzz/}"
began=$SECONDS
printf '%s\n' "${@%_fuzz.cpp}" | xargs -P "${JOBS:-2}" -I{} bash -c 'run_target {}'
awk -v seconds=$((SECONDS - began)) '{ executions += $1; findings += $2 != 0 }
    END { printf "fuzz: %d targets, %d executions in %d s, %d findings\n", NR, executions, seconds, findings; exit findings > 0 }' \
    build/fuzz/logs/*.result
