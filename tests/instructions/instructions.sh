#!/usr/bin/env bash
# Instructions of the hot path, counted by callgrind and compared with counts.txt. Seconds would depend on the
# machine and its other work. Counts depend only on compiler and instruction set.
#   tests/instructions/instructions.sh PROGRAM [--refresh]
set -uo pipefail
program=$(realpath "${1:-build/release/tests/hot_path}")
cd "$(dirname "$0")/../.." || exit 1
counts=tests/instructions/counts.txt
most_up=3    # per cent above the file: a failure
most_down=10 # per cent below: worth holding
refresh=no
[ "${2:-}" = --refresh ] && refresh=yes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v valgrind >/dev/null; then
    echo "skip instructions: valgrind is not here"
    exit 0
fi
if [ ! -x "$program" ]; then
    echo "not ok instructions: $program was not built"
    exit 1
fi
if ! valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$work/out" "$program" >"$work/variant" 2>"$work/log"; then
    echo "not ok instructions: the program failed"
    tail -n 5 "$work/variant" "$work/log" | sed 's/^/# /'
    exit 1
fi
variant=$(head -n 1 "$work/variant")

# Every dump names its phase and units, and ends in the instructions: "phase count", a unit.
for dump in "$work"/out.*; do
    awk '/^desc: Trigger: Client Request: / { phase = $5; units = $6 } /^(totals|summary): / { count = $2 }
         END { if (phase != "") printf "%s %.0f\n", phase, count / units }' "$dump"
done | sort >"$work/counts"
if [ ! -s "$work/counts" ]; then
    echo "skip instructions: built without valgrind's headers, nothing was counted"
    exit 0
fi

if [ $refresh = yes ]; then
    {
        echo "# Instructions a unit of each phase of hot_path.cpp, under valgrind; written by instructions.sh --refresh."
        echo "# $variant"
        cat "$work/counts"
    } >"$counts"
    echo "ok instructions: $counts written"
    exit 0
fi
recorded=$(sed -n '2s/^# //p' "$counts")
if [ "$variant" != "$recorded" ]; then
    echo "skip instructions: counted with $variant, $counts is of $recorded"
    exit 0
fi
awk -v up=$most_up -v down=$most_down '
    FNR == NR { if ($1 != "#") { recorded[$1] = $2; ++left } ; next }
    !($1 in recorded) { printf "not ok instructions %s: not in the file; --refresh\n", $1; failed = 1; next }
    {
        --left
        change = 100 * ($2 / recorded[$1] - 1)
        if (change > up) {
            printf "not ok instructions %s: %d a unit, %.1f %% more than the %d of the file\n", $1, $2, change, recorded[$1]
            failed = 1
        } else {
            printf "ok instructions %s: %d a unit (%+.1f %%)\n", $1, $2, change
            if (-change > down) printf "# instructions %s fell by %.0f %%: --refresh holds it\n", $1, -change
        }
    }
    END { if (left > 0) { print "not ok instructions: a phase of the file was not counted"; failed = 1 } exit failed }
' "$counts" "$work/counts"
