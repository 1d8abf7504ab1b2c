#!/usr/bin/env bash
# A fit cut in two by a budget or by a signal ends as the whole one: the same trace, model and certificate.
. "$(dirname "$0")/common.bash"

small=(builtin:iid,rows=300,features=8 --loss cauchy --reg l1:0.01)
# Everything but seconds.
timeless() { case $1 in *.csv) cut -d, -f1-3,5- "$1" ;; *) grep -v '"seconds"' "$1" ;; esac; }
same_run() {
    local part
    for part in csv json cert; do diff <(timeless "$1.$part") <(timeless "$2.$part") || return 1; done
}
outputs() { outputs=(--trace "$work/$1.csv" -f "$work/$1.json" --certificate "$work/$1.cert"); }

# cut_in_two NAME FIRST ALL ARGS...: with $before in its first part, $after in its second.
cut_in_two() {
    local name=$1 first=$2 all=$3
    shift 3
    rm -f "$work"/whole.* "$work"/cut.*
    outputs whole
    run fit -q "$@" --iterations "$all" "${outputs[@]}"
    expect "$name: the whole run" 0
    run fit -q "$@" --iterations "$first" --checkpoint "$work/cut.state" ${before:+"$before"}
    expect "$name: its first part" 0
    outputs cut
    run fit "$@" --iterations "$all" --resume "$work/cut.state" "${outputs[@]}" ${after:+"$after"}
    expect "$name: the rest" 0 'resumed .*cut.state'
    check "$name: both are the same" same_run "$work/whole" "$work/cut"
}
cut_in_two "panoc" 5 19 "${small[@]}" -m panoc
cut_in_two "spiderboost" 7 90 "${small[@]}" -m spiderboost
cut_in_two "storm" 37 200 "${small[@]}" -m storm:batch=9
cut_in_two "the reduction" 5 12 sampler:ramp -m reduction:w=3,T=9,filled=no,delta=0.01,samples=4
cut_in_two "storm on a sampler" 11 60 sampler:regression -m storm --test-samples 256
cut_in_two "t* of prox-sgd" 41 150 "${small[@]}" -m prox-sgd -o random
cut_in_two "scaled rows" 3 9 "${small[@]}" -m accelerated --standardise --standardise-label
large=(builtin:iid,rows=20000,features=8 --loss cauchy --reg l1:0.01)
after=--threads=2 cut_in_two "panoc, then on two threads" 3 8 "${large[@]}" -m panoc
after=--threads=2 cut_in_two "spiderboost, then on two threads" 30 300 "${large[@]}" -m spiderboost
before=--threads=2 cut_in_two "storm, on two threads and then on one" 30 100 "${large[@]}" -m storm

# Three parts, the state replaced in place; then there is nothing left to do.
outputs whole
run fit -q "${small[@]}" -m sarah --passes 30 "${outputs[@]}"
outputs cut
for passes in 3 11 30 30; do
    resume=()
    [ -e "$work/three.state" ] && resume=(--resume "$work/three.state")
    run fit -q "${small[@]}" -m sarah --passes $passes "${outputs[@]}" --checkpoint "$work/three.state" "${resume[@]}"
    expect "parts up to $passes passes" 0
done
check "parts put together equal the whole" same_run "$work/whole" "$work/cut"

# A signal in the middle of a long run.
rm -f "$work"/cut.*
outputs cut
long=(builtin:iid,rows=3000,features=20 --loss cauchy --reg l1:0.001 -m spiderboost)
"$PROXSTREAM" fit "${long[@]}" --passes 1e12 --checkpoint "$work/cut.state" "${outputs[@]}" >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 200); do grep -qE '^ +(3[2-9]|[4-9][0-9]|[0-9]{3,})' "$work/err" && break; sleep 0.05; done
kill -INT $job
wait $job
status=$?
out='' err=$(<"$work/err")
expect "SIGINT ends with a certificate" 130 'certificate: interrupted after' 'state saved to .*cut.state, for --resume' 'model saved'
stopped=$(awk '$1 == "\"iterations\":" { gsub(",", "", $2); print $2; exit }' "$work/cut.cert")
check "its trace ends where it was stopped" test "$(tail -n 1 "$work/cut.csv" | cut -d, -f1)" = "$stopped"
check "its model is of a point it met" grep -q proxstream-model "$work/cut.json"
run fit -q "${long[@]}" --iterations $((stopped + 150)) --resume "$work/cut.state" "${outputs[@]}"
expect "it goes on" 0
outputs whole
run fit -q "${long[@]}" --iterations $((stopped + 150)) "${outputs[@]}"
check "and ends as if nothing had happened" same_run "$work/whole" "$work/cut"

# A run that is killed leaves the state of a moment before.
"$PROXSTREAM" fit "${long[@]}" --passes 1e12 --checkpoint "$work/killed.state" --checkpoint-every 0 -q 2>/dev/null &
job=$!
for _ in $(seq 200); do [ -s "$work/killed.state" ] && break; sleep 0.05; done
kill -KILL $job
wait $job 2>/dev/null
run fit "${long[@]}" --passes 20 --resume "$work/killed.state"
expect "a killed run goes on from its last state" 0 'certificate: budget_exhausted'

# What does not belong together is refused, and nothing is written.
run fit -q "${small[@]}" -m storm --iterations 9 --checkpoint "$work/state"
# refuses NAME STATUS STATE ARGS... -- PATTERN...
refuses() {
    local name=$1 wanted=$2 state=$work/$3 arguments=()
    shift 3
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    rm -f "$work/new.json"
    run fit -q "${arguments[@]}" --iterations 20 --resume "$state" -f "$work/new.json"
    expect "$name is refused" "$wanted" "$@"
    check "$name: nothing is written" test ! -e "$work/new.json"
}
refuses "another seed and method" 2 state "${small[@]}" -m sarah --seed 3 -- "the run had 'method = storm', now it is 'method = sarah'" "'seed = 1', now it is 'seed = 3'"
refuses "another loss" 2 state "${small[0]}" --loss squared --reg l1:0.01 -m storm -- "'loss = cauchy', now it is 'loss = squared'"
refuses "other data by name" 2 state builtin:iid,rows=301,features=8 "${small[@]:1}" -m storm -- "rows=300.*rows=301"
run fit -q sampler:ramp -m reduction --epsilon 0.2 --iterations 2 --checkpoint "$work/reduction.state"
refuses "an epsilon that parameters follow from" 2 reduction.state sampler:ramp -m reduction --epsilon 0.1 -- "the method's w"
awk 'BEGIN { srand(1); print "a,y"; for (i = 0; i < 50; ++i) print rand() "," rand() }' >"$work/rows.csv"
run fit -q "$work/rows.csv" --iterations 3 --checkpoint "$work/rows.state"
sed -i '20s/^0/1/' "$work/rows.csv"
refuses "another row under the same name" 3 rows.state "$work/rows.csv" -- 'rows.state: the data are not those the run was on'
head -c 400 "$work/state" >"$work/torn.state"
refuses "a torn checkpoint" 3 torn.state "${small[@]}" -m storm -- 'torn.state: the checkpoint is cut short after 400 bytes'
{ head -c 300 "$work/state"; printf '\377'; tail -c +302 "$work/state"; } >"$work/bent.state"
refuses "a damaged checkpoint" 3 bent.state "${small[@]}" -m storm -- 'bent.state: the checksum does not fit'
refuses "a model in place of a checkpoint" 3 whole.json "${small[@]}" -m storm -- 'whole.json: this is not a checkpoint'
refuses "a checkpoint that is not there" 5 none.state "${small[@]}" -m storm -- 'none.state: cannot be read'
run learn -q "${small[@]}" --step 0.1 -w 4 --rounds 20 --ledger "$work/l.jsonl" --checkpoint "$work/learn.state"
refuses "a checkpoint of learn" 3 learn.state "${small[@]}" -m storm -- 'learn.state.*holds something else'
run fit -q "${small[@]}" -t --start "$work/whole.json" --resume "$work/state"
expect "test-only has nothing to go on with" 2 'test-only: moves nothing'
