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
    expect "$name: the whole run ends" 0
    outputs cut
    run fit -q "$@" --iterations "$first" --store "$work/cut.run" "${outputs[@]}" ${before:+"$before"}
    expect "$name: the first part ends" 0
    run resume "$work/cut.run" --iterations "$all" --no-quiet ${after:+"$after"}
    expect "$name: the second part ends" 0 'resumed .*cut.run'
    check "$name: two parts equal the whole" same_run "$work/whole" "$work/cut"
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

# Three parts; then there is nothing left to do.
outputs whole
run fit -q "${small[@]}" -m sarah --passes 30 "${outputs[@]}"
outputs cut
run fit -q "${small[@]}" -m sarah --passes 3 "${outputs[@]}" --store "$work/three.run"
for passes in 11 30 30; do
    run resume "$work/three.run" --passes $passes
    expect "a fit resumes up to $passes passes" 0
done
check "three parts equal the whole" same_run "$work/whole" "$work/cut"

# A signal in the middle of a long run.
rm -f "$work"/cut.*
outputs cut
long=(builtin:iid,rows=3000,features=20 --loss cauchy --reg l1:0.001 -m spiderboost)
"$PROXSTREAM" fit "${long[@]}" --passes 1e12 --store "$work/cut.run" "${outputs[@]}" >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 200); do grep -qE '^ +(3[2-9]|[4-9][0-9]|[0-9]{3,})' "$work/err" && break; sleep 0.05; done
kill -INT $job
wait $job
status=$?
out='' err=$(<"$work/err")
expect "SIGINT ends with a certificate" 130 'certificate: interrupted after' 'kept in .*cut.run; .proxstream resume' 'model saved'
stopped=$(awk '$1 == "\"iterations\":" { gsub(",", "", $2); print $2; exit }' "$work/cut.cert")
check "the trace ends where SIGINT stopped the fit" test "$(tail -n 1 "$work/cut.csv" | cut -d, -f1)" = "$stopped"
check "SIGINT saves a model" grep -q proxstream-model "$work/cut.json"
run resume "$work/cut.run" --iterations $((stopped + 150)) --passes 0
expect "a fit stopped by SIGINT resumes" 0
outputs whole
run fit -q "${long[@]}" --iterations $((stopped + 150)) "${outputs[@]}"
check "a fit stopped by SIGINT ends as an unbroken one" same_run "$work/whole" "$work/cut"

# A run that is killed has the measurements that were committed.
"$PROXSTREAM" fit "${long[@]}" --passes 1e12 --store "$work/killed.run" --durable round -q 2>/dev/null &
job=$!
for _ in $(seq 200); do "$PROXSTREAM" show "$work/killed.run" 2>/dev/null | grep -q ' running, [1-9]' && break; sleep 0.05; done
kill -KILL $job
wait $job 2>/dev/null
run resume "$work/killed.run" --passes 20 --no-quiet
expect "a killed run resumes from its last state" 0 'certificate: budget_exhausted'

# Stores and options that do not fit are refused.
run fit -q sampler:ramp -m reduction --epsilon 0.2 --iterations 2 --store "$work/reduction.run"
run resume "$work/reduction.run" --epsilon 0.1
expect "resume refuses an epsilon that parameters depend on" 2 "the method's w"
awk 'BEGIN { srand(1); print "a,y"; for (i = 0; i < 50; ++i) print rand() "," rand() }' >"$work/rows.csv"
run fit -q "$work/rows.csv" --iterations 3 --store "$work/rows.run"
sed -i '20s/^0/1/' "$work/rows.csv"
run resume "$work/rows.run" --iterations 9
expect "resume refuses changed rows" 3 'rows.run: the data differ from those of the run'
run fit -q "${small[@]}" -t --start "$work/whole.json" --store "$work/test.run"
expect "--test-only with --store is refused" 2 'test-only makes no iteration'
for option in checkpoint checkpoint-every resume; do
    run fit -q "${small[@]}" --$option "$work/state"
    expect "the removed --$option names its replacement" 2 "--$option was removed: keep the run in a file with --store FILE"
done
