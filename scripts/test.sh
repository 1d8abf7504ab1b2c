#!/usr/bin/env bash
# Everything that must hold, in one run. Each check prints "ok NAME", "not ok NAME" or "skip NAME reason";
# this script adds them up, shows what failed, and ends in one line: "N passed, N failed, N skipped".
#   scripts/test.sh [--long]
set -uo pipefail
cd "$(dirname "$0")/.."
long=no
if [ "${1:-}" = --long ]; then
    long=yes
    export PROXSTREAM_LONG=1
fi
export JOBS=${JOBS:-2}
logs=build/test
rm -rf "$logs"
mkdir -p "$logs"
: >"$logs/all"
began=$SECONDS

# Runs a check, keeps its lines, shows what is not "ok". A check that dies or says nothing has failed.
check() {
    local title=$1 log="$logs/${1// /-}" before=$SECONDS status=0
    shift
    echo "== $title"
    "$@" >"$log" 2>&1 || status=$?
    if ! grep -qE '^(ok|not ok|skip) ' "$log"; then
        echo "not ok $title: could not run (status $status)" >>"$log"
    elif [ $status != 0 ] && ! grep -q '^not ok ' "$log"; then
        echo "not ok $title: ended with status $status" >>"$log"
    fi
    grep -v '^ok ' "$log"
    cat "$log" >>"$logs/all"
    awk -v title="$title" -v seconds=$((SECONDS - before)) '
        /^ok / { ++passed } /^not ok / { ++failed } /^skip / { ++skipped }
        END { printf "   %s: %d passed, %d failed, %d skipped (%d s)\n", title, passed, failed, skipped, seconds }
    ' "$log"
}

# Builds a preset with its tests, then runs the checks that need it: only on what was built just now.
declare -A built
build() {
    scripts/build.sh "$1" -DPROXSTREAM_TESTS=ON && echo "ok build $1"
}
check_build() {
    check "$1 build" build "$1"
    grep -q "^ok build $1$" "$logs/$1-build" && built[$1]=yes
}
check_built() {
    local preset=$1
    shift
    if [ "${built[$preset]:-no}" = yes ]; then
        check "$@"
    else
        check "$1" echo "not ok $1: not run, the $preset build failed"
    fi
}

# Every test program of a preset, a few at a time; each writes to a log of its own so that lines stay whole.
run_tests() {
    local preset=$1 folder="$logs/$1.d"
    mkdir -p "$folder"
    find "build/$preset/tests" -maxdepth 1 -type f -name 'test_*' -executable | sort |
        xargs -P "$JOBS" -I{} bash -c 'scripts/run-gtest.sh "$1 $(basename "$2")" "$2" >"$3/$(basename "$2")" 2>&1' run "$preset" {} "$folder"
    cat "$folder"/*
}

# The scripts of tests/cli drive the program itself; they find it in $PROXSTREAM.
run_cli() {
    local program=$PWD/build/$1/proxstream script
    if [ ! -x "$program" ]; then
        echo "not ok cli: $program was not built"
        return
    fi
    for script in tests/cli/*.sh; do
        PROXSTREAM=$program bash "$script" || echo "not ok $script ended with status $?"
    done
}

# Every row of the bench, once and small: do they still work? Nothing is judged.
smoke_bench() {
    scripts/bench.sh --quick && echo "ok bench: every row works"
}

check "format" scripts/format.sh --check
check "rooms" tests/rooms/rooms.sh
check_build release
check_built release "release tests" run_tests release
check_built release "command line" run_cli release
check_built release "package" tests/package/package.sh
check_built release "report page" tests/web/web.sh build/release
check_built release "instructions" tests/instructions/instructions.sh build/release/tests/hot_path
check_build dev
check_built dev "dev tests" run_tests dev
check "tidy" scripts/tidy.sh
if [ $long = yes ]; then
    check_built dev "dev command line" run_cli dev
    check_build tsan
    check_built tsan "tsan tests" run_tests tsan
    check "analyser" scripts/tidy.sh --analyse
    check "bench" smoke_bench
fi

echo "took $((SECONDS - began)) s; every line is in $logs/all"
awk '/^ok / { ++passed } /^not ok / { ++failed } /^skip / { ++skipped }
     END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }' "$logs/all"
