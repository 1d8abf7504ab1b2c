#!/usr/bin/env bash
# Everything that must hold, in one run. Each check prints "ok NAME", "not ok NAME" or "skip NAME reason".
# This script adds them up, shows what failed, and ends in one line: "N passed, N failed, N skipped".
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
all=$logs/all
: >"$all"
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
    cat "$log" >>"$all"
    awk -v title="$title" -v seconds=$((SECONDS - before)) '
        /^ok / { ++passed } /^not ok / { ++failed } /^skip / { ++skipped }
        END { printf "   %s: %d passed, %d failed, %d skipped (%d s)\n", title, passed, failed, skipped, seconds }
    ' "$log"
}

# Builds a preset with its tests, or the targets named in $PROXSTREAM_TARGETS under another title, then runs
# the checks that need it. They use only what was built just now.
#   check_build TITLE PRESET [-DNAME=VALUE ...]
declare -A built
build() {
    scripts/build.sh "$2" -DPROXSTREAM_TESTS=ON "${@:3}" && echo "ok build $1"
}
check_build() {
    check "$1 build" build "$@"
    grep -q "^ok build $1$" "$logs/${1// /-}-build" && built[$1]=yes
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

# Two lists of checks at the same time, for those that leave a core idle. The second's lines follow the first's.
side_by_side() {
    local second=$logs/$2
    : >"$second.lines"
    (all=$second.lines; "$2") >"$second.said" 2>&1 &
    "$1"
    wait $!
    cat "$second.said"
    [ -s "$second.lines" ] || echo "not ok $2: could not run" | tee "$second.lines"
    cat "$second.lines" >>"$all"
}

# Every test program of a preset, the largest first, a few at a time. Each writes to a log of its own, so that
# lines stay whole.
run_tests() {
    local preset=$1 folder="$logs/$1.d"
    mkdir -p "$folder"
    # Those of the present configuration: an earlier one may have left others in the folder.
    (cd "build/$preset" && ninja -t targets all | sed -nE 's/^(tests\/test_[a-z]+): CXX_EXECUTABLE.*/\1/p' | xargs ls -S) | sed "s|^|build/$preset/|" |
        xargs -P "$JOBS" -I{} bash -c 'scripts/run-gtest.sh "$1 $(basename "$2")" "$2" >"$3/$(basename "$2")" 2>&1' run "$preset" {} "$folder"
    cat "$folder"/*
}

# The scripts of tests/cli drive the program itself; they find it in $PROXSTREAM. The longest go first.
run_cli() {
    local program=$PWD/build/$1/proxstream folder="$logs/cli-$1.d"
    if [ ! -x "$program" ]; then
        echo "not ok cli: $program was not built"
        return
    fi
    mkdir -p "$folder"
    ls -S tests/cli/*.sh | PROXSTREAM=$program xargs -P "$JOBS" -I{} bash -c '
        { bash "$1" || echo "not ok $1 ended with status $?"; } >"$2/$(basename "$1")" 2>&1
        grep -qE "^(ok|not ok|skip) " "$2/$(basename "$1")" || echo "not ok $1 said nothing" >>"$2/$(basename "$1")"
    ' run {} "$folder"
    cat "$folder"/*
}

# The program with a fault at its system calls and allocations.
run_faults() {
    local bench=build/release/tests/fault_bench
    if [ -x $bench ]; then $bench build/release/proxstream; else echo "skip faults: they need Linux on x86-64"; fi
}

# What needs the release build alone.
program() {
    check_built release "command line" run_cli release
    check_built release "faults" run_faults
    check_built release "package" tests/package/package.sh
    check_built release "instructions" tests/instructions/instructions.sh build/release/tests/hot_path
}
# The sanitizers. Reports name functions but no lines, which saves a tenth of the compilation; the preset itself has
# lines.
sanitized=dev
sanitized_options=(-DPROXSTREAM_PROGRAM=OFF -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=)
if [ $long = yes ]; then
    sanitized=dev-full
    sanitized_options=()
fi
# The programs that write the pages to look at, as the check of these names them.
sanitized_pages() {
    local writers
    writers=$(grep -oE '\$tests/test_[a-z]+' tests/web/web.sh | cut -d/ -f2 | sort -u | xargs)
    PROXSTREAM_TARGETS=$writers check_build "$sanitized pages" $sanitized "${sanitized_options[@]}"
}
sanitized_tests() {
    check_build $sanitized $sanitized "${sanitized_options[@]}"
    check_built $sanitized "$sanitized tests" run_tests $sanitized
    [ $long = yes ] && check_built dev-full "dev-full command line" run_cli dev-full
}
# Tests write the pages that it looks at. Mostly it waits for a browser: compilers get on beside it.
page() {
    check_built "$sanitized pages" "report page" tests/web/web.sh build/release build/$sanitized/tests
}
# A quarter of an hour of clang-tidy: for test-long.
lint() {
    check "tidy" scripts/tidy.sh --each
    check "analyser" scripts/tidy.sh --analyse
}

# Every row of the bench, once and small: do they still work? Nothing is judged.
smoke_bench() {
    scripts/bench.sh --quick && echo "ok bench: every row works"
}

check "format" scripts/format.sh --check
check "rooms" tests/rooms/rooms.sh
check "commit messages" scripts/check-commits.sh
if [ $long = yes ]; then
    check_build release release -DPROXSTREAM_TEST_ROOMS=
else
    # Optimised, the tests of what is compiled for several instruction sets; the others come under the sanitizers.
    check_build release release "-DPROXSTREAM_TEST_ROOMS=core;loss;prox;traffic"
fi
check_built release "release tests" run_tests release
side_by_side sanitized_pages program
side_by_side sanitized_tests page
if [ $long = yes ]; then
    lint
    check_build clang clang
    check "fuzz seeds" scripts/fuzz.sh 0
    check_build tsan tsan
    check_built tsan "tsan tests" run_tests tsan
    check "bench" smoke_bench
fi

echo "took $((SECONDS - began)) s; every line is in $logs/all"
awk '/^ok / { ++passed } /^not ok / { ++failed } /^skip / { ++skipped }
     END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }' "$logs/all"
