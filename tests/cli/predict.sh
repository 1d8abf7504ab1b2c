#!/usr/bin/env bash
# Rows without a label: predict gives the bits that learn would have given, whatever the order of the columns.
. "$(dirname "$0")/common.bash"
cd "$work" || exit

# Text, times, gaps and a number, and three labels: a number, one of two classes, one of three.
awk 'BEGIN { srand(8); OFS = ","; split("Oslo,Rome,Nice,Paris,Lima,Bonn", city, ","); split("low,mid,high", level, ",")
             print "id", "when", "city", "a", "b", "y", "two", "three"
             for (i = 0; i < 300; ++i) {
                 c = 1 + int(rand() * (i < 100 ? 4 : 6)); a = rand() - .5; b = 100 * rand(); y = 3 * a + c + b / 50 + rand() / 5
                 print "r" i, sprintf("2024-%02d-%02d %02d:00", 1 + int(i / 56) % 12, 1 + int(i / 2) % 28, 12 * (i % 2)), \
                       (rand() < .05 ? "" : city[c]), (rand() < .1 ? "NA" : a), (rand() < .1 ? "" : b), \
                       y, (y > 6 ? "yes" : "no"), level[y < 5 ? 1 : y < 7 ? 2 : 3] } }' >table.csv

# unlabelled FROM TO: these rows (0 is the first one) without labels, the columns in another order, with two more.
unlabelled() {
    awk -F, -v OFS=, -v from="$1" -v to="$2" 'NR == 1 || (NR >= from + 2 && NR <= to + 2) { print (NR == 1 ? "extra" : "x" NR), $5, $3, $4, $1, $2, (NR == 1 ? "more" : "") }' table.csv
}
# again NAME ROUNDS ARGS...: the model after ROUNDS rows says of the next row what learn said of it.
again() {
    local name=$1 rounds bad=0
    local -a marks=($2)
    shift 2
    run learn -q table.csv "$@" -p whole.p
    expect "$name: a table is learned" 0
    : >differs
    for rounds in "${marks[@]}"; do
        "$PROXSTREAM" learn -q table.csv "$@" --rounds "$rounds" -f m.json 2>>differs
        unlabelled "$rounds" "$rounds" | "$PROXSTREAM" predict -q m.json - >one.p 2>>differs
        diff <(sed -n "$((rounds + 2))p" whole.p | cut -d, -f3-) <(sed -n 2p one.p | cut -d, -f3-) >>differs || bad=1
    done
    [ $bad = 1 ] && head differs
    check "$name: predict gives the bits of learn" eval 'test ! -s differs && test "$(wc -l <whole.p)" = 301'
}
table=(--ignore id --time when --features when,city,a,b)
again "a number" "1 2 63 64 65 150 299" --label y "${table[@]}"
again "a number, unscaled" "5 200" --label y "${table[@]}" --raw --loss squared -w 16
again "a number, few features for text" "120 250" --label y "${table[@]}" --categories 3
again "a number, hashed text" "1 100 299" --label y "${table[@]}" --hash 6
again "two classes" "1 70 200 299" --label two --loss logistic --classes no,yes "${table[@]}"
again "three classes" "1 70 200" --label three --loss mlp:task=softmax,hidden=3 --step 0.1 --max-steps 5 -w 16 --classes low,mid,high "${table[@]}"
again "single precision" "1 70 200" --label y "${table[@]}" --single
again "rows of length 1" "3 180" --label y "${table[@]}" --normalise --loss squared

# The same while learning: rows without a label at the end of the stream.
run learn -q table.csv --label y "${table[@]}" --rounds 200 -f m.json
awk -F, -v OFS=, 'NR > 201 { $6 = "" } { print }' table.csv >half.csv
run learn half.csv --label y "${table[@]}" -p half.p -f half.json
expect "rows without a label are predicted, and not learned from" 0 '200 rows in 200 rounds' 'rows without a label, predicted only: 100'
check "rows without a label leave the model as it was" cmp m.json half.json
unlabelled 200 299 >new.csv
run predict m.json new.csv -p new.p
expect "predict needs no label" 0 '^100 rows predicted$'
check "predict says of many rows what learn says" cmp <(tail -n 100 half.p | cut -d, -f2-) <(tail -n 100 new.p | cut -d, -f2-)
run predict -q m.json new.csv --key id -p keyed.p
check "predictions carry the key that is named" eval 'test "$(head -n 2 keyed.p | cut -d, -f1 | paste -sd" ")" = "id r200" && cmp <(cut -d, -f2- keyed.p) <(cut -d, -f2- new.p)'

# With labels there are metrics.
{ head -n 1 table.csv; tail -n 100 table.csv; } >known.csv
run predict m.json known.csv -p known.p
expect "with labels predict prints metrics" 0 '^100 rows predicted, 100 of them with a label$' 'metrics +MAE [0-9.]+ +RMSE [0-9.]+ +R2 [0-9.-]+'
check "labels do not change predictions" cmp <(cut -d, -f3 known.p) <(cut -d, -f3 new.p)
check "the metrics are those of the predictions" awk -F, -v said="$(sed -nE 's/.*RMSE ([0-9.]+) .*/\1/p' err)" \
    'NR > 1 { s += ($2 - $3) ^ 2 } END { d = sqrt(s / 100) - said; exit !(d * d < 1e-8) }' known.p
run learn -q table.csv --label two --loss logistic --classes no,yes "${table[@]}" --rounds 200 -f two.json
run predict two.json known.csv -p two.p
expect "predict prints metrics of classes" 0 'metrics +accuracy 0.[0-9]+ +log loss [0-9.]+ +AUC 0.[0-9]+ +F1 0.[0-9]+'
check "predictions of classes have label, class and probability" awk -F, 'NR == 1 { exit ($0 != "row,label,prediction,p(yes)") } $2 !~ /^(yes|no)$/ || ($3 == "yes") != ($4 >= 0.5) { exit 1 }' two.p
run learn -q table.csv --label three --loss mlp:task=softmax,hidden=3 --step 0.1 --max-steps 5 -w 16 --classes low,mid,high "${table[@]}" --rounds 200 -f three.json
run predict -q three.json known.csv -p three.p
check "predictions of several classes have all probabilities" awk -F, 'NR == 1 { exit ($0 != "row,label,prediction,p(low),p(mid),p(high)") }
    { s = $4 + $5 + $6 - 1; best = $4 >= $5 && $4 >= $6 ? "low" : $5 >= $6 ? "mid" : "high"; if (s * s > 1e-18 || best != $3) exit 1 }' three.p

# What does not fit is named.
cut -d, -f1,2,3,5,6 known.csv >short.csv
run predict m.json short.csv
expect "a column that is missing is named" 2 "the model needs a column 'a', which short.csv does not have" 'columns of short.csv are: id, when, city, b, y'
sed '1s/,city,/,City,/' known.csv >capital.csv
run predict m.json capital.csv
expect "a column of another case is suggested" 2 "the model needs a column 'city', which capital.csv does not have; did you mean 'City'"
run predict m.json new.csv -p new.p
expect "columns that the model does not use are named" 0 'columns not used: extra, id, more'
awk -F, -v OFS=, '{ print $0, $4 }' known.csv >twice.csv
run predict m.json twice.csv
expect "a column that is there twice is refused" 2 "2 columns are called 'a' \(number 4 and 9\)"
run predict m.json new.csv --key nothing
expect "predict refuses a key that is no column" 2 "--key: no column is called 'nothing'"
run predict m.json no.csv
expect "rows that are not there are an error" 5 'no.csv.*No such file'
run predict table.csv table.csv
expect "a model that is none is an error" 3 'table.csv.*not whole JSON'
run predict
expect "predict without a model is an error" 2 'name the model first'
run predict m.json --horizon 3
expect "a horizon needs a model of past labels alone" 2 'horizon: the model has features besides past labels'
for target in m.json new.csv; do
    run predict m.json new.csv -p $target
    expect "predict refuses to write over $target" 2 "--predictions $target: is also an input"
done
{ cat new.csv; echo 'x,1'; } >torn.csv
run predict m.json torn.csv -p torn.p
expect "a bad row ends predict" 3 'torn.csv:102: the row has 2 columns' 'torn.p: has the rows before this error'
run predict m.json torn.csv -p torn.p
expect "a bad row leaves existing predictions" 3 'torn.p: left as it was'
run predict m.json torn.csv --on-bad-row skip -p torn.p
expect "predict can skip a bad row" 0 '^100 rows predicted$' 'bad rows skipped: 1; the last one: torn.csv:102'

# A sender that waits for each answer.
mkfifo rows.pipe answers.pipe
"$PROXSTREAM" predict -q m.json - <rows.pipe >answers.pipe 2>err &
predictor=$!
exec 8>rows.pipe 9<answers.pipe
head -n 2 new.csv >&8
answered=0
read -r -t 20 _ <&9
for line in 3 4 5; do
    read -r -t 20 _ <&9 && answered=$((answered + 1))
    sed -n ${line}p new.csv >&8
done
exec 8>&-
wait $predictor
exec 9<&-
check "predict answers every row before the next one comes" test $answered = 3

# Lags: the value that is not known yet, and more behind it.
awk -F, -v OFS=, 'NR == 1 { print "hour", "load" } NR > 1 { printf "h%d,%.17g\n", NR, 1000 + 300 * sin(NR * 0.26179938) + 40 * $4 }' table.csv >load.csv
lagged=(--label load --ignore hour --lags 1..3,24)
run learn -q load.csv "${lagged[@]}" -p whole.p
run learn -q load.csv "${lagged[@]}" --rounds 226 -f m.json
run predict -q m.json --horizon 5 -p ahead.p
expect "a model of lags forecasts without rows" 0
check "the next value is forecast as while learning" test "$(sed -n 2p ahead.p | cut -d, -f3)" = "$(sed -n 228p whole.p | cut -d, -f3)"
check "a horizon has so many lines" test "$(wc -l <ahead.p)" = 6
{ echo load; sed -n 2,3p ahead.p | cut -d, -f3; } >guessed.csv
run predict -q m.json guessed.csv --horizon 3 -p guessed.p
check "later forecasts take earlier ones for labels" cmp <(cut -d, -f3 ahead.p) <(cut -d, -f3 guessed.p)
{ echo hour,load; sed -n 252,301p load.csv; } >later.csv
run predict -q m.json later.csv -p later.p
check "rows continue those of the model" test "$(sed -n 2p later.p | cut -d, -f3)" = "$(sed -n 228p whole.p | cut -d, -f3)"
run predict m.json load.csv --refill -p refilled.p
expect "rows can fill the lags themselves" 0 '^276 rows predicted, 276 of them with a label$'
check "filled lags give the same predictions" cmp <(tail -n 50 later.p | cut -d, -f2-) <(tail -n 50 refilled.p | cut -d, -f2-)
sed '10s/,.*/,/' later.csv >gap.csv
run predict -q m.json gap.csv -p gap.p
check "a label that is missing is taken for its forecast" eval 'test "$(wc -l <gap.p)" = 51 && cmp <(head -n 10 gap.p | cut -d, -f3) <(head -n 10 later.p | cut -d, -f3)'

# A series that grows leaves the range of the labels seen.
awk 'BEGIN { print "n,y"; for (i = 0; i < 400; ++i) print i "," 5 + i / 10 }' >grows.csv
run learn -q grows.csv --label y --ignore n --lags 1..3 -p grows.p -f grows.json
run predict -q grows.json --horizon 20 -p grows.h
check "forecasts of a series that grows are not clipped to its past" awk -F, 'NR > 1 { last = $3 } END { exit !(last > 45.3) }' grows.h
run learn -q grows.csv --label y --ignore n --lags 1..3 --rounds 300 -f grows.json
run predict -q grows.json --horizon 1 -p grows.h
check "the next value of a series that grows is forecast as while learning" test "$(sed -n 2p grows.h | cut -d, -f3)" = "$(sed -n 302p grows.p | cut -d, -f3)"
