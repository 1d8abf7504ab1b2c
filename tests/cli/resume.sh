#!/usr/bin/env bash
# A run split in two by saving and loading, and runs on one and on two threads: the same ledgers.
. "$(dirname "$0")/common.bash"

awk 'BEGIN { srand(5); print "a,b,noise,y"
             for (i = 0; i < 150; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," 2*a - b + i/100 + (rand()-.5)/10 } }' >"$work/rows.csv"
rows="$work/rows.csv"

# split NAME ROUND ARGS...: whole in $work/whole.*, split after ROUND in $work/split.*
split() {
    local name=$1 round=$2
    shift 2
    rm -f "$work"/whole.* "$work"/split.*
    run learn -q "$@" --ledger "$work/whole.jsonl" -p "$work/whole.p" -f "$work/whole.json"
    expect "$name: the whole run" 0
    run learn -q "$@" --ledger "$work/split.jsonl" -p "$work/split.p" --rounds "$round" --checkpoint "$work/split.state"
    expect "$name: its first part" 0
    cp "$work/split.jsonl" "$work/first.jsonl"
    run learn "$@" --ledger "$work/split.jsonl" -p "$work/split.p" -f "$work/split.json" --resume "$work/split.state" ${more:+"$more"}
    expect "$name: the rest" 0 "resumed .*after round $round" 'Proved on this run|not proved|Certificate of'
    check "$name: the ledgers are equal" same_ledger "$work/whole.jsonl" "$work/split.jsonl"
    check "$name: predictions and model are equal" eval 'cmp "$work/whole.p" "$work/split.p" && cmp "$work/whole.json" "$work/split.json"'
}
common=("$rows" --label y --loss cauchy --reg l1:0.001 --step 0.5)
split "a bank" 40 "${common[@]}" --window auto:longest=16
split "a window with everything" 25 "${common[@]}" -w 16 --also-window 1,8 --standardise --standardise-label --lags 2..4 --batch 2
split "a season of forecasts" 33 "${common[@]}" -w triangle:12 --model forecast --forecast "$rows"
split "a baseline" 25 "${common[@]}" --learner full-history -w 4
split "minibatches" 20 "${common[@]}" --batch 5 -w 6 --oracle minibatch:2 --tolerance 1 --force
split "estimates that are kept" 25 "${common[@]}" -w 6 --oracle gaussian:0.05 --variant paper --tolerance 1 --force
more=--threads=2 split "another number of threads" 30 "${common[@]}" -w 16

run certify "$work/split.jsonl"
expect "the certificate covers the whole run" 0 'Certificate of 150 rounds'

# Three parts, the state replaced in place.
run learn -q "${common[@]}" -w 16 --ledger "$work/three.jsonl" --rounds 25 --checkpoint "$work/three.state"
run learn -q "${common[@]}" -w 16 --ledger "$work/three.jsonl" --rounds 90 --resume "$work/three.state" --checkpoint "$work/three.state"
run learn -q "${common[@]}" -w 16 --ledger "$work/three.jsonl" --resume "$work/three.state" --checkpoint "$work/three.state"
check "three parts equal the whole" same_ledger "$work/whole.jsonl" "$work/three.jsonl"
run learn -q "${common[@]}" -w 16 --ledger "$work/three.jsonl" --resume "$work/three.state"
expect "a run that has used up its stream has nothing left to do" 0
check "and its ledger stays" same_ledger "$work/whole.jsonl" "$work/three.jsonl"

# Passes large enough for several threads.
large=(builtin:drift,rows=14000 --batch 100 -w 100 --max-steps 5 --loss cauchy --reg l1:0.01)
for threads in 1 2; do
    run learn -q "${large[@]}" --threads $threads --ledger "$work/t$threads.jsonl"
    expect "a large window on $threads thread(s)" 0
done
check "one and two threads give one ledger" same_ledger "$work/t1.jsonl" "$work/t2.jsonl"
run learn -q "${large[@]}" --threads 2 --rounds 120 --ledger "$work/t3.jsonl" --checkpoint "$work/t3.state"
run learn -q "${large[@]}" --threads 1 --ledger "$work/t3.jsonl" --resume "$work/t3.state"
check "and so does a run split between them" same_ledger "$work/t1.jsonl" "$work/t3.jsonl"

# Interrupted by a signal while it waits for more rows, in the middle of a record.
stdin=(-d - --label y --loss cauchy --reg l1:0.001 --step 0.5 -w 16 --batch 2)
"$PROXSTREAM" learn -q "${stdin[@]}" --ledger "$work/whole.jsonl" <"$rows"
mkfifo "$work/pipe"
"$PROXSTREAM" learn -q "${stdin[@]}" --ledger "$work/cut.jsonl" --checkpoint "$work/cut.state" <"$work/pipe" 2>"$work/err" &
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
"$PROXSTREAM" learn -q "${stdin[@]}" --ledger "$work/cut.jsonl" --resume "$work/cut.state" <"$rows" 2>"$work/err"
status=$?
expect "it goes on" 0
check "its ledger equals the whole run's" same_ledger "$work/whole.jsonl" "$work/cut.jsonl"

# A run that was killed leaves a ledger without an end, ahead of the last state.
run learn -q "${common[@]}" -w 16 --ledger "$work/whole.jsonl"
run learn -q "${common[@]}" -w 16 --ledger "$work/killed.jsonl" --rounds 25 --checkpoint "$work/killed.state"
cp "$work/killed.jsonl" "$work/first.jsonl"
head -c $(($(stat -c %s "$work/whole.jsonl") / 2)) "$work/whole.jsonl" >"$work/killed.jsonl"
run learn -q "${common[@]}" -w 16 --ledger "$work/killed.jsonl" --resume "$work/killed.state"
expect "a killed run goes on from its last state" 0
check "and ends as if nothing had happened" same_ledger "$work/whole.jsonl" "$work/killed.jsonl"

# What does not belong together is refused, and nothing is touched.
# refuses NAME STATUS LEDGER CHECKPOINT ARGS... -- PATTERN...
refuses() {
    local name=$1 wanted=$2 ledger=$work/$3 state=$work/$4 arguments=()
    shift 4
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    rm -f "$work/kept"
    [ -e "$ledger" ] && cp "$ledger" "$work/kept"
    run learn -q "${common[@]}" --ledger "$ledger" --resume "$state" "${arguments[@]}"
    expect "$name is refused" "$wanted" "$@"
    if [ -e "$work/kept" ]; then check "$name: the ledger is as it was" cmp "$ledger" "$work/kept"; fi
}
refuses "a checkpoint of other settings" 2 first.jsonl killed.state -w 8 --seed 3 -- "killed.state: window was '16' in the run of .*first.jsonl, and is '8' now" "seed was '1'"
head -c 900 "$work/killed.state" >"$work/torn.state"
refuses "a torn checkpoint" 3 first.jsonl torn.state -w 16 -- 'torn.state: the checkpoint is cut short after 900 bytes'
{ head -c 700 "$work/killed.state"; printf '\377'; tail -c +702 "$work/killed.state"; } >"$work/bent.state"
refuses "a damaged checkpoint" 3 first.jsonl bent.state -w 16 -- 'bent.state: the checksum does not fit'
refuses "a model in place of a checkpoint" 3 first.jsonl whole.json -w 16 -- 'whole.json: this is not a checkpoint'
refuses "a checkpoint that is not there" 5 first.jsonl none.state -w 16 -- 'none.state: cannot be read'
refuses "a ledger that is not there" 5 none.jsonl killed.state -w 16 -- 'none.jsonl: open the ledger'
refuses "a whole ledger that goes on" 3 whole.jsonl killed.state -w 16 -- 'whole.jsonl: .*goes on to round 150' 'killed.state, made after round 25'
head -n 20 "$work/first.jsonl" >"$work/short.jsonl"
refuses "a ledger that ends too early" 3 short.jsonl killed.state -w 16 -- 'short.jsonl.*truncated.*last whole round is 19'
sed '10s/"N":/"N":1/' "$work/first.jsonl" >"$work/bent.jsonl"
refuses "a ledger that was changed" 3 bent.jsonl killed.state -w 16 -- 'bent.jsonl:10'
run learn -q "${common[@]}" -w 16 --ledger "$work/other.jsonl" --rounds 24 --checkpoint "$work/other.state"
refuses "the ledger of another part" 3 other.jsonl killed.state -w 16 -- 'other.jsonl: the ledger ends before that round'
refuses "resuming without learning" 2 first.jsonl killed.state -w 16 --test-only --start "$work/whole.json" -- 'test-only learns nothing'
cp "$rows" "$work/rows.kept"
awk -F, -v OFS=, 'NR == 12 { $1 += 0.25 } { print }' "$work/rows.kept" >"$rows"
refuses "a stream that has changed" 3 first.jsonl killed.state -w 16 -- 'the first 25 records are not those the run of .*killed.state has learned from'
head -n 15 "$work/rows.kept" >"$rows"
refuses "a stream that has become shorter" 3 first.jsonl killed.state -w 16 -- 'the stream ends after 14 records'
cp "$work/rows.kept" "$rows"

run learn -q "${common[@]}" -w 16 --checkpoint "$work/x.state"
expect "a checkpoint needs a ledger" 2 'checkpoint = .*x.state: needs --ledger'
run learn -q "${common[@]}" -w 16 --ledger "$work/x.jsonl" --checkpoint "$work/x.jsonl"
expect "a checkpoint in place of the ledger" 2 'the ledger has to be another file'
run learn -q "${common[@]}" -w 16 --ledger "$work/x.jsonl" --checkpoint "$work/no/where/x.state"
expect "a checkpoint that cannot be written" 5 'no/where/x.state.*No such file'
run certify "$work/x.jsonl"
expect "its ledger is whole all the same" 0
run compare -q "${common[@]}" -w 16 --ledger "$work/x.jsonl" --resume "$work/killed.state"
expect "compare keeps no state" 2 'only learn'
run compare -q "${common[@]}" -w 4 --rounds 30 --learners 'adam'
expect "compare ends where it is told" 0 '^30 rows'
