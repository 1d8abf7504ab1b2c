#!/usr/bin/env bash
# Absolute and quantile losses, and classes with names: from rows to predictions.
. "$(dirname "$0")/common.bash"
service=""
trap '[ -n "$service" ] && kill -9 "$service" 2>/dev/null; rm -rf "$work"' EXIT

awk 'BEGIN { srand(6); print "a,b,kind,y"
             for (i = 0; i < 1200; ++i) { a = 10 * rand(); b = 3 * rand(); m = a + 2 * rand() + 3 * b
                 for (n = k = 0; k < 12; ++k) n += rand() - .5
                 print a "," b "," (m < 6 ? "small" : m < 11 ? "medium" : "large") "," 1000 + 300 * a + (50 + 20 * a) * n } }' >"$work/rows.csv"
rows="$work/rows.csv"

# Several classes without a hidden layer. Their number follows from their names.
kinds=(--label kind --ignore y --classes small,medium,large)
unit_sums='NR == 1 { exit ($0 != "row,label,prediction,p(small),p(medium),p(large)") }
           { s = $4 + $5 + $6; if (s < 1 - 1e-12 || s > 1 + 1e-12 || $4 < 0 || $5 < 0 || $6 < 0) exit 1
             best = $4 > $5 ? ($4 > $6 ? "small" : "large") : ($5 > $6 ? "medium" : "large"); if (NR > 2 && best != $3) exit 1 }'
for loss in softmax mlp:task=softmax,hidden=4; do
    run learn "$rows" "${kinds[@]}" --loss $loss -p "$work/p" -f "$work/m.json"
    expect "$loss learns named classes" 0 '1200 rows in 1200 rounds' 'best constant 1\.' 'accuracy 0\.[89]' 'certificate +([0-9]+) of \1 '
    check "$loss: probabilities of classes sum to 1" awk -F, "$unit_sums" "$work/p"
    run predict -q "$work/m.json" "$rows" -p "$work/new"
    expect "$loss: the model predicts" 0
    check "$loss: predicted probabilities sum to 1" awk -F, "$unit_sums" "$work/new"
    check "$loss: the model is right" awk -F, 'NR > 1 { right += $2 == $3 } END { exit !(right > 1000) }' "$work/new"
done
run learn "$rows" "${kinds[@]}" --loss softmax -w 64 --verbose
expect "softmax has a ridge, and is held back in short windows" 0 'softmax \+ l2sq:0\.001' 'proximal +\(mu/2\)'
run learn -q "$rows" "${kinds[@]}" --loss softmax -p "$work/whole.p" -f "$work/whole.json"
run learn -q "$rows" "${kinds[@]}" --loss softmax -p "$work/split.p" -f "$work/split.json" --store "$work/s.run" --rounds 500
run resume "$work/s.run" --rounds 0
check "a split softmax run equals the whole" eval 'cmp "$work/whole.p" "$work/split.p" && cmp "$work/whole.json" "$work/split.json"'
run learn "$rows" --start "$work/whole.json" --label kind --ignore y
expect "softmax continues from its model" 0 'loss softmax: that of the model' '1200 rounds'
run compare "$rows" "${kinds[@]}" --loss softmax --learners 'time-smoothed;adagrad'
expect "softmax is compared" 0 'time-smoothed' 'adagrad'
run fit "$rows" "${kinds[@]}" --loss softmax --reg l2sq:0.001 --standardise -p "$work/p" -f "$work/m.json"
expect "softmax is fitted with its constant" 0 'largest eigenvalue' 'converged'
check "fitted probabilities sum to 1" awk -F, "$unit_sums" "$work/p"
run predict -q "$work/m.json" "$rows" -p "$work/new"
check "predict says the same from a fitted model" cmp "$work/p" "$work/new"

run learn "$rows" --label kind --ignore y --loss softmax
expect "softmax asks for its classes" 2 "name them with --classes A,B,C, or give their number with classes=K"
run learn "$rows" "${kinds[@]}" --loss softmax:classes=4
expect "a wrong number of classes is refused" 2 '3 classes are named; leave out classes='

cat >"$work/one.toml" <<'T'
[learner.main]
kind = "learn"
features = ["a", "b"]
loss = "softmax"
classes = ["small", "medium", "large"]
step = 0.05
T
"$PROXSTREAM" serve "$work/one.toml" --port 0 --store-folder "$work" 2>"$work/err" &
service=$!
for _ in $(seq 200); do
    port=$(sed -n 's/^listening on http:.*:\([0-9]*\)$/\1/p' "$work/err")
    [ -n "$port" ] && break
    sleep 0.05
done
# post TARGET BODY
post() {
    exec 9<>"/dev/tcp/127.0.0.1/$port" || return
    printf 'POST /v1/learners/main/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
        "$1" "${#2}" "$2" >&9
    cat <&9
    exec 9>&-
}
post rounds '{"record":{"x":[1,2],"y":"medium"}}' >/dev/null
post predict '{"rows":[{"x":[1,2]},{"x":[9,3]}]}' >"$work/reply"
check "a service gives the probabilities of classes" grep -qE '"predictions":\[1(\.0)?,.*"probabilities":\[\[0\.[0-9]+,0\.[0-9]+,0\.[0-9]+\],\[' "$work/reply"
kill "$service" && wait "$service"
service=""

# Labels in their own units; the width is in deviations of the label unless --raw.
number=(--label y --ignore kind)
run learn "$rows" "${number[@]}" --loss absolute -p "$work/p" -f "$work/m.json"
expect "absolute standardises its label and says so" 0 'standardised, label too' 'label standardised: the default for absolute' 'certificate +([0-9]+) of \1 '
check "absolute predicts the median" awk -F, 'NR > 301 { ++n; below += $2 < $3 } END { exit !(below > 0.44 * n && below < 0.56 * n) }' "$work/p"
for level in 0.1 0.9; do
    run learn -q "$rows" "${number[@]}" --loss quantile:$level -p "$work/p" -f "$work/m.json"
    expect "quantile:$level is learned" 0
    check "quantile:$level: its share of labels is below" awk -F, -v q=$level 'NR > 301 { ++n; below += $2 < $3 } END { exit !(below > (q - .05) * n && below < (q + .05) * n) }' "$work/p"
done
run predict -q "$work/m.json" "$rows" -p "$work/new"
check "the model of a quantile predicts it" awk -F, 'NR > 301 { ++n; below += $2 < $3 } END { exit !(below > .85 * n && below < .95 * n) }' "$work/new"
run learn "$rows" "${number[@]}" --loss quantile:0.9,width=20 --raw --window 256
expect "with --raw the width is in units of the label" 0 '2 dense features\)'
run learn "$rows" "${number[@]}" --loss quantile:90
expect "a level that is no share is refused" 2 "between 0 and 1, not 90; quantile:0.9 predicts"
run fit "$rows" "${number[@]}" --loss absolute:0.01 --standardise --standardise-label
expect "absolute is fitted" 0 'converged'
