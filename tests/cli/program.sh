#!/usr/bin/env bash
# The program around the verbs: help, lists, typos, comparison.
. "$(dirname "$0")/common.bash"

run
expect "no verb shows the help" 2 'usage: proxstream VERB'
run --help
expect "help names every verb and the exit status" 0 'learn' 'compare' 'certify' 'list' 'exit status'
run lern
expect "a typo in the verb gets a suggestion" 2 "did you mean 'learn'"
run learn --help
expect "learn --help explains the options" 0 '--window' '--tolerance' 'Data' 'Learner' 'Output'
run list
expect "list shows its tables" 0 'losses' 'regularisers' 'learners' 'inner solvers'
for name in squared huber cauchy geman-mcclure welsch tukey logistic sigmoid squared-sigmoid log-difference tanh smoothed-hinge mlp pca; do
    run list losses
    grep -qE "^  $name" "$work/out" && echo "ok list has the loss $name" || echo "not ok list has the loss $name"
done
run list regularisers
expect "list regularisers shows regularisers" 0 'l1:' 'box:' 'simplex' 'group:' 'tv:' 'nuclear:' 'capped-simplex' 'blocks:'
run list regularizers
expect "a typo in a list gets a suggestion" 2 "did you mean 'regularisers'"
run --version
expect "--version prints the version" 0 '^proxstream [0-9]+\.[0-9]+\.[0-9]+$'

run list losses --plugin
expect "a plugin without a file name is refused" 2 'plugin: the name of a shared object is missing'
run --plugin="$work/none.so" list losses
expect "a missing plugin is refused" 2 "plugin $work/none.so cannot be loaded"
echo "not a shared object" >"$work/text.so"
PROXSTREAM_PLUGINS="$work/text.so" run list losses
expect "a plugin that is not a shared object is refused" 2 "plugin $work/text.so cannot be loaded"
run learn builtin:drift,rows=10 --loss elsewhere
expect "an unknown loss mentions --plugin" 2 "unknown loss 'elsewhere'.*--plugin"

run compare builtin:drift,rows=300 --loss cauchy --reg l1:0.02 --learners "time-smoothed; prox-sgd:0.05; adam; full-history"
expect "compare prints one table and a certificate" 0 'learner +loss +over best +MAE +gradients +seconds' '^time-smoothed +[0-9]' '^full-history +[0-9]' 'Certificate of 300 rounds'
run compare builtin:drift,rows=300 --learners "time-smoothed; sdg; adam:beta1=2"
expect "compare refuses all bad learners at once" 2 "unknown learner 'sdg'" 'beta1 must lie in'
run compare builtin:drfit
expect "a typo in a built-in stream names the known ones" 2 "drift"
run compare builtin:drift,rows=300 -q --seed 1 --learners "time-smoothed"
figures() { sed 's/ [0-9.]*$//' "$work/out"; } # without the seconds
first=$(figures)
run compare builtin:drift,rows=300 -q --seed 1 --learners "time-smoothed"
check "the same run gives the same figures" test "$first" = "$(figures)"

electricity=$data/streams/electricity.csv
if [ -r "$electricity" ]; then
    # This w and this cap were picked on the same stream after others (w = 1, 4, 8, 64, 256 do worse than
    # prox-SGD with one gradient, 16 and 32 better). The check guards a figure, it does not rank methods.
    run compare "$electricity" -q --label class --loss logistic --standardise --reg l2sq:0.001 -w 16 --max-steps 4 --learners "time-smoothed; prox-sgd:0.1,power=0; prox-sgd:0.03,power=0,replay=29"
    check "on electricity a window beats prox-SGD at equal gradients" awk 'NF < 6 || / above / { next } /^time-smoothed/ { window = $2; cost = $(NF-1) } /replay/ { replay = $2; bound = $(NF-1) } /^prox-sgd:0.1/ { plain = $2 } END { exit !(window < plain && window < replay && cost <= bound) }' "$work/out"
else
    echo "skip electricity: $electricity is not there (set PROXSTREAM_DATA)"
fi
