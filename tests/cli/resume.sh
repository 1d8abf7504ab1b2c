#!/usr/bin/env bash
# A run split in two by its store, and runs on one and on two threads: the same ledgers.
. "$(dirname "$0")/common.bash"

awk 'BEGIN { srand(5); print "a,b,noise,y"
             for (i = 0; i < 150; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," 2*a - b + i/100 + (rand()-.5)/10 } }' >"$work/rows.csv"
rows="$work/rows.csv"

ledger_of() { "$PROXSTREAM" export "$1" --what ledger -o "$1.jsonl"; }
stored_as() { ledger_of "$2" && same_ledger "$1" "$2.jsonl"; }

# split NAME ROUND ARGS...: whole in $work/whole.*, split after ROUND in $work/split.*
split() {
    local name=$1 round=$2
    shift 2
    rm -f "$work"/whole.* "$work"/split.*
    run learn -q "$@" --ledger "$work/whole.jsonl" -p "$work/whole.p" -f "$work/whole.json"
    expect "$name: the whole run ends" 0
    run learn -q "$@" --store "$work/split.run" --keep all -p "$work/split.p" -f "$work/split.json" --rounds "$round"
    expect "$name: the first part ends" 0
    run resume "$work/split.run" --rounds 0 --no-quiet ${more:+"$more"}
    expect "$name: the second part ends" 0 "resumed .*after round $round" 'certificate +([0-9]+ of|nothing was proved)'
    check "$name: the ledgers are equal" stored_as "$work/whole.jsonl" "$work/split.run"
    check "$name: predictions and model are equal" eval 'cmp "$work/whole.p" "$work/split.p" && cmp "$work/whole.json" "$work/split.json"'
}
common=("$rows" --label y --loss cauchy --reg l1:0.001 --step 0.5)
split "an ensemble" 40 "${common[@]}" --window auto:longest=16
split "a window with everything" 25 "${common[@]}" -w 16 --also-window 1,8 --standardise --standardise-label --lags 2..4 --batch 2
split "a season of forecasts" 33 "${common[@]}" -w triangle:12 --model forecast --forecast "$rows"
split "a baseline" 25 "${common[@]}" --learner full-history -w 4
split "minibatches" 20 "${common[@]}" --batch 5 -w 6 --oracle minibatch:2 --tolerance 1 --force
split "estimates that are kept" 25 "${common[@]}" -w 6 --oracle gaussian:0.05 --learner time-smoothed:variant=paper --tolerance 1 --force
more=--threads=2 split "another number of threads" 30 "${common[@]}" -w 16

run certify "$work/split.run"
expect "the certificate covers the whole run" 0 '150 rounds'

# Three parts.
run learn -q "${common[@]}" -w 16 --store "$work/three.run" --keep all --rounds 25
run resume "$work/three.run" --rounds 90
run resume "$work/three.run" --rounds 0
check "three parts equal the whole" stored_as "$work/whole.jsonl" "$work/three.run"
run resume "$work/three.run"
expect "resuming a run at the end of its stream succeeds" 0
check "resuming at the end leaves the ledger" stored_as "$work/whole.jsonl" "$work/three.run"

# Passes large enough for several threads.
large=(builtin:drift,rows=14000 --batch 100 -w 100 --max-steps 5 --loss cauchy --reg l1:0.01)
for threads in 1 2; do
    run learn -q "${large[@]}" --threads $threads --ledger "$work/t$threads.jsonl"
    expect "a large window is learned on $threads thread(s)" 0
done
check "one and two threads give the same ledger" same_ledger "$work/t1.jsonl" "$work/t2.jsonl"
run learn -q "${large[@]}" --threads 2 --rounds 120 --store "$work/t3.run" --keep all
run resume "$work/t3.run" --rounds 0 --threads 1
check "a run split between one and two threads gives the same ledger" stored_as "$work/t1.jsonl" "$work/t3.run"

# Interrupted by a signal while it waits for more rows, in the middle of a record.
stdin=(-d - --label y --loss cauchy --reg l1:0.001 --step 0.5 -w 16 --batch 2)
"$PROXSTREAM" learn -q "${stdin[@]}" --ledger "$work/whole.jsonl" <"$rows"
mkfifo "$work/pipe"
"$PROXSTREAM" learn -q "${stdin[@]}" --store "$work/cut.run" --keep all <"$work/pipe" 2>"$work/err" &
learner=$!
exec 9>"$work/pipe"
head -n 52 "$rows" >&9
sleep 0.5
kill -INT $learner
wait $learner
status=$?
exec 9>&-
: >"$work/out"
expect "an interrupted run saves its state" 130
"$PROXSTREAM" resume "$work/cut.run" <"$rows" 2>"$work/err"
status=$?
expect "an interrupted run resumes" 0
check "an interrupted run ends with the ledger of the whole run" stored_as "$work/whole.jsonl" "$work/cut.run"

# Data that are not those of the run are refused, and nothing is touched.
run learn -q "${common[@]}" -w 16 --store "$work/refused.run" --keep all --rounds 25
ledger_of "$work/refused.run" && cp "$work/refused.run.jsonl" "$work/kept.jsonl"
# refuses NAME STATUS PATTERN
refuses() {
    run resume "$work/refused.run" --rounds 0
    expect "$1 is refused" "$2" "$3"
    ledger_of "$work/refused.run"
    check "$1: the ledger is unchanged" cmp "$work/refused.run.jsonl" "$work/kept.jsonl"
}
cp "$rows" "$work/rows.kept"
awk -F, -v OFS=, 'NR == 12 { $1 += 0.25 } { print }' "$work/rows.kept" >"$rows"
refuses "a stream that has changed" 3 'the first 25 records are not those the run of .*refused.run has learned from'
head -n 15 "$work/rows.kept" >"$rows"
refuses "a stream that has become shorter" 3 'the stream ends after 14 records'
cp "$work/rows.kept" "$rows"
run resume "$work/refused.run" -w 8
expect "another window is refused" 2 '-w'

# The options that --store replaced.
for option in checkpoint resume; do
    run learn -q "${common[@]}" --ledger "$work/x.jsonl" --$option "$work/x.state"
    expect "the removed --$option names its replacement" 2 "--$option was removed: keep the run in a file with --store FILE; 'proxstream resume FILE' continues it"
done
echo 'checkpoint = "x.state"' >"$work/old.toml"
run learn "${common[@]}" --config "$work/old.toml"
expect "the removed key in a file names its replacement" 2 "old.toml:1: 'checkpoint' was removed: keep the run in a file with --store"
run compare -q "${common[@]}" -w 4 --rounds 30 --learners 'adam'
expect "compare ends after --rounds" 0 '^30 rows'
