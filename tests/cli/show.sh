#!/usr/bin/env bash
# proxstream show of models: the weights that it prints predict what 'predict' does. Stores: store.sh.
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

awk 'BEGIN { srand(8); print "temp,city,day,wind,hot,y"; split("Oslo Rome Bern", cities)
    for (i = 0; i < 400; ++i) { t = 12 + 16 * (rand() - .5); w = 300 + 200 * (rand() - .5); c = cities[1 + int(3 * rand())]
        y = 3 * t - w / 50 + (c == "Oslo") * 5 + rand()
        printf "%.3f,%s,2024-03-%02d %02d:00,%.2f,%s,%.4f\n", t, c, 1 + i % 28, i % 24, w, (t + 4 * rand() > 14 ? "yes" : "no"), y } }' >rows.csv

# score WEIGHTS ROWS [CLASS]: the scores of the rows by the weights that show --csv has printed.
score() {
    awk -F, -v class="${3:-}" '
        FNR == NR { if (class != "") { if ($1 != class) next; sub(/^[^,]*,/, "") } weight[$1] = $2; next }
        FNR == 1 { for (i = 1; i <= NF; ++i) name[i] = $i; next }
        { sum = weight["(intercept)"]
          for (i = 1; i <= NF; ++i) sum += (name[i] in weight) ? weight[name[i]] * $i : weight[name[i] "=" $i]
          printf "%.17g\n", sum }' "$1" "$2"
}
# near A B TOLERANCE: two columns of numbers are equal, up to a share of the largest.
near() {
    paste "$1" "$2" | awk -v most="$3" 'function abs(x) { return x < 0 ? -x : x }
        { if (abs($1) > size) size = abs($1); if (abs($1 - $2) > worst) worst = abs($1 - $2) }
        END { print NR " rows, differ by " worst " of " size; exit !(NR > 100 && worst <= most * size) }'
}
predictions_of() { "$PROXSTREAM" predict "$1" "$2" --quiet | awk -F, -v c="${3:-3}" 'NR > 1 { print $c }'; }
columns=(--ignore day,hot)

run fit rows.csv --label y --loss squared --standardise --standardise-label "${columns[@]}" --save fit.json --quiet
expect "a model is fitted" 0
run show fit.json
expect "show prints how a model was made" 0 "model of squared" "y, a number" "city \(text: " "iterations of fit" "scaled by mean"
expect "show prints weights and influence" 0 "^  temp +[0-9.]+ +[0-9.]+ +[0-9.]+$" "^  city=Oslo " "\(intercept\)" "Influence is"
check "features are sorted by influence" bash -c '"$PROXSTREAM" show fit.json | awk "NF == 4 && /[0-9]\$/ { if (last != \"\" && \$4 > last) exit 1; last = \$4; ++n } END { exit n < 4 }"'
check "show fits on a screen of 80 columns" test "$("$PROXSTREAM" show fit.json | awk '{ if (length > n) n = length } END { print n }')" -le 80
"$PROXSTREAM" show fit.json --csv >fit.csv
score fit.csv rows.csv >by_hand
predictions_of fit.json rows.csv >by_predict
check "weights in the units of the data predict what the model does" near by_predict by_hand 1e-12

run learn rows.csv --label y "${columns[@]}" --save learn.json --quiet
run show learn.json
expect "show of a learned model says how it differs" 0 "rounds of learn" "clipped to the labels seen" "share of about 1/401"
"$PROXSTREAM" show learn.json --csv >learn.csv
score learn.csv rows.csv >by_hand
predictions_of learn.json rows.csv >by_predict
check "weights of a scaled learner predict what the model does, up to the row's own share" near by_predict by_hand 0.05
# Without the row's own share in the statistics, and without clipping.
sed -z -E 's/ "running": true,\n//; s/ "label_range": \[[^]]*\],\n//' learn.json >still.json
predictions_of still.json rows.csv >by_predict
check "weights of a scaled learner are those of its statistics" near by_predict by_hand 1e-12

run learn rows.csv --label y "${columns[@]}" --lags 1,2 --raw --loss huber:5 --save lags.json --quiet
run show lags.json
expect "past values are features by name" 0 "^  lags +1, 2 rows ago, of y" "^  y\[-1\] " "^  y\[-2\] "

run fit rows.csv --label hot --classes no,yes --loss logistic --reg l2sq:0.01 --standardise --ignore day,y --save class.json --quiet
"$PROXSTREAM" show class.json --csv >class.csv
score class.csv rows.csv | awk '{ printf "%.17g\n", 1 / (1 + exp(-$1)) }' >by_hand
predictions_of class.json rows.csv 4 >by_predict
check "the weights of two classes give their probability" near by_predict by_hand 1e-12
run show class.json
expect "show names the classes" 0 "hot: no if the score is below 0, else yes" "probability of yes"

run fit rows.csv --label city --classes Oslo,Rome,Bern --loss softmax --reg l2sq:0.01 --standardise --ignore day,hot --save three.json --quiet
"$PROXSTREAM" show three.json --csv >three.csv
for class in Oslo Rome Bern; do score three.csv rows.csv $class >score.$class; done
paste score.Oslo score.Rome score.Bern | awk '{ printf "%.17g\n", exp($2) / (exp($1) + exp($2) + exp($3)) }' >by_hand
predictions_of three.json rows.csv 5 >by_predict
check "the weights of several classes give their probabilities" near by_predict by_hand 1e-12
run show three.json
expect "show prints the weights of each class" 0 "^class Oslo" "^class Rome" "^class Bern"

run learn builtin:drift --rounds 200 --save wide.json --quiet
run show wide.json
expect "show lists 30 features" 0 "and 20 more with a weight; --all lists them"
run show wide.json --all
check "--all lists every feature" test "$(grep -cE '^  x[0-9]+ ' "$work/out")" = 50
run fit rows.csv --label y --loss mlp:hidden=3 "${columns[@]}" --iterations 5 --save net.json --quiet
run show net.json
expect "of a network, only how it was made is shown" 0 "mlp:hidden=3" "not one of linear scores"
run show net.json --csv
expect "a network has no weights of features" 2 "no weights of features"

run show rows.csv
expect "show of another file names what it reads" 3 "rows.csv: neither a run store nor a model; .* --store or --save"
echo '{"a": 1}' >other.json
run show other.json
expect "show of other JSON names what it reads" 3 "other.json: neither a run store nor a model; .* --store or --save"
sed 's/"weights": /"w": /; s/"x": /"z": /' fit.json >broken.json
run show broken.json
expect "a damaged model is refused with its key" 3 "broken.json.*'?x'?.*is missing"
run learn builtin:drift --rounds 50 --window 4 --store a.run --quiet
run show a.run
expect "show tells a store from a model" 0 "a.run: learn" "settings"
run show a.run --csv
expect "--csv is for models" 2 "a.run is a run store"
