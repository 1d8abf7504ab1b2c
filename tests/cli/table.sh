#!/usr/bin/env bash
# Tables as users have them: text, dates and gaps, several files, labels that come later, metrics.
. "$(dirname "$0")/common.bash"
cd "$work" || exit

awk 'BEGIN { srand(11); OFS = ","; split("Oslo,Rome,Nice,Paris,Lima,Bonn", city, ","); print "id", "when", "city", "a", "b", "y"
             for (i = 0; i < 400; ++i) {
                 c = 1 + int(rand() * (i < 150 ? 3 : 6)); a = rand() - .5; b = 100 * rand()
                 print "r" i, sprintf("2024-%02d-%02d %02d:00", 1 + int(i / 56), 1 + int(i / 2) % 28, 12 * (i % 2)), (rand() < .05 ? "" : city[c]), \
                       (rand() < .1 ? "NA" : a), b, 3 * a + c + b / 50 + rand() / 5 } }' >table.csv
names=(--label y --ignore id --time when)
run learn table.csv "${names[@]}" -p whole.p -f whole.json --ledger whole.jsonl
expect "a table with text, dates and gaps is learned" 0 '400 rows in 400 rounds' 'text becomes features for its values: city 8' 'missing values become the mean.*: a$' 'missing numbers replaced by the mean of their column: [1-9]'
check "its predictions are better than the mean" awk -F, 'NR > 200 { n++; e += ($2 - $3) ^ 2; m += $2; q += $2 ^ 2 } END { exit !(e / n < 0.5 * (q / n - (m / n) ^ 2)) }' whole.p
check "the model names its features" eval 'grep -q "\"city#1\"" whole.json && grep -q "\"a=missing\"" whole.json && grep -q "\"when.hour" whole.json'

# Several files are one stream; each begins with the same header.
head -n 151 table.csv >one.csv
{ head -n 1 table.csv; tail -n +152 table.csv; } | gzip >two.csv.gz
run learn -q one.csv two.csv.gz "${names[@]}" -p parts.p -f parts.json --ledger parts.jsonl
expect "a table in two files is learned" 0
check "two files give the bits of one" eval 'cmp whole.p parts.p && cmp whole.json parts.json'
awk -F, -v OFS=, '{ print $2, $1, $3, $4, $5, $6 }' one.csv >other.csv
run learn one.csv other.csv "${names[@]}"
expect "a second file with other columns is refused" 3 "other.csv:1, column 1: the column is called 'when'; expected 'id' as in one.csv"
awk -F, 'NR > 1 { printf "{\"id\": \"%s\", \"when\": \"%s\", \"city\": %s, \"a\": %s, \"b\": %s, \"y\": %s}\n", $1, $2, ($3 == "" ? "null" : "\"" $3 "\""), ($4 == "NA" ? "null" : $4), $5, $6 }' table.csv >table.jsonl
run learn -q table.jsonl "${names[@]}" -p json.p
check "JSON lines give the bits of CSV" cmp whole.p json.p

# A run in three parts gives the bits of one that never stopped.
rm -f s.run
run learn -q one.csv two.csv.gz "${names[@]}" --store s.run --keep all -p stored.p -f stored.json --metrics stored.m --metrics-every 60 --rounds 100
run resume s.run --rounds 270
run resume s.run --rounds 0
expect "a stored table is resumed twice" 0
run learn -q one.csv two.csv.gz "${names[@]}" --metrics whole.m --metrics-every 60
check "its predictions, model and metrics are those of one run" eval 'cmp whole.p stored.p && cmp whole.json stored.json && cmp whole.m stored.m'
"$PROXSTREAM" export s.run --what ledger -o s.jsonl
check "its ledger is that of one run" same_ledger parts.jsonl s.jsonl

# Hashed text.
run learn table.csv "${names[@]}" --hash 5 -f hashed.json
expect "hashed text is learned" 0 'sparse features'
count() { sed -nE 's/^ "feature_count": ([0-9]+),/\1/p' "$1"; }
check "a model of hashed text has 2^BITS features for it" test "$(count hashed.json)" = $(($(count whole.json) - 8 + 32))
run learn table.csv "${names[@]}" --hash 25
expect "a hash of too many bits is refused" 2 'hash = 25'
run learn table.csv "${names[@]}" --categories 3
expect "texts without a feature are counted" 0 'texts without a feature of their own: [1-9][0-9]*; --categories or --hash'

weights() { awk '/^ "x": \[/ { inside = 1; next } /\]/ { inside = 0 } inside { sub(/,/, ""); print $1 }' "$1"; }

# Labels that come later, by key: a row is predicted now and learned when its label is there.
awk -F, -v OFS=, 'BEGIN { srand(12); print "id", "a", "b", "y" } NR == 1 { next }
    { row = $1 "," rand() "," $5 ","; delay = NR % 4 == 0 ? 10 : 0; if (delay) { print row; held[NR + delay] = row } else print row $6
      label[NR] = $6; if (NR in held) print held[NR] label[NR - 10] }' table.csv >late.csv
awk -F, '$4 != ""' late.csv >ordered.csv
later=(--label y --key id --step 0.1 -w 16 --proximal 0)
run learn late.csv "${later[@]}" -p late.p -f late.json
expect "labels that come later are learned" 0 'rows without a label, predicted only: 100' 'labels that came later: 9[0-9]; still waited for: [1-9]'
run learn -q ordered.csv "${later[@]}" -p ordered.p -f ordered.json
check "a row is learned when its label comes" cmp <(weights late.json) <(weights ordered.json)
check "it is predicted when it comes, and again with its label" eval 'test "$(wc -l <late.p)" = "$(wc -l <late.csv)" && cmp <(cut -d, -f1 late.p) <(cut -d, -f1 late.csv) && cmp <(cut -d, -f2 late.p) <(cut -d, -f4 late.csv | sed "1s/.*/label/")'
awk -F, -v OFS=, 'NR > 1 && $4 != "" && seen[$1]++ { $2 = $3 = "" } { seen[$1] = 1; print }' late.csv >bare.csv
run learn -q bare.csv "${later[@]}" -p bare.p -f bare.json
expect "a label needs no features when it comes" 0
check "it is learned with the features of its row" cmp <(weights bare.json | grep -vx 0.0) <(weights late.json)
run learn -q late.csv "${later[@]}" --store late.run -p cut.p --rounds 150
run resume late.run --rounds 0
check "a stored run keeps rows that wait for labels" cmp late.p cut.p
head -n 300 late.csv >open.csv
echo 'r900,0.5,50,' >>open.csv
run learn -q open.csv "${later[@]}" --store open.run -p open.p
run resume open.run --progress 5
cp open.p before.p
echo 'r901,0.4,40,1.5' >>open.csv
run resume open.run --progress 5
check "rows at the end are not predicted twice" eval 'cmp before.p <(head -n "$(wc -l <before.p)" open.p) && test "$(wc -l <open.p)" = "$(wc -l <open.csv)"'

# Metrics, progressive and of the newest rows.
run learn table.csv "${names[@]}" -p m.p --metrics m.csv --metrics-every 100 --metrics-window 50
expect "metrics are printed" 0 'metrics +MAE [0-9.]+ +RMSE [0-9.]+ +R2 [0-9.]+' 'newest 50'
check "metrics are those of the predictions, of all rows and of the newest 50" awk -F, '
    function near(a, b) { return (a - b) ^ 2 <= 1e-18 * (1 + b * b) }
    NR == FNR { if (FNR > 1) { e[FNR - 1] = $3 - $2; y[FNR - 1] = $2 } next }
    FNR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    { for (first = 1; ; first = $1 - 49) {
          n = s = q = m = v = 0; prefix = first == 1 ? "" : "recent_"
          for (i = first; i <= $1; ++i) { ++n; s += e[i] < 0 ? -e[i] : e[i]; q += e[i] ^ 2; m += y[i] }
          for (i = first; i <= $1; ++i) v += (y[i] - m / n) ^ 2
          if (!near($(at[prefix "mae"]), s / n) || !near($(at[prefix "rmse"]), sqrt(q / n)) || !near($(at[prefix "r2"]), 1 - q / v)) { print; bad = 1 }
          if (first > 1) break
      } ++lines }
    END { exit bad || lines != 4 }' m.p m.csv

# Weights of rows and of classes multiply the loss.
awk -F, -v OFS=, 'BEGIN { srand(5) } NR == 1 { print "a", "b", "times", "y"; next } NR <= 81 { a = rand(); b = rand(); print a, b, int(4 * rand()), 3 * a - b + rand() }' table.csv >times.csv
awk -F, -v OFS=, 'NR == 1 { print $1, $2, $4; next } { for (i = 0; i < $3; ++i) print $1, $2, $4 }' times.csv >repeated.csv
exactly=(--label y --loss squared --reg zero --epsilon 1e-10)
run fit -q times.csv "${exactly[@]}" --weight times -f weighted.json
expect "a fit takes weights of rows" 0
run fit -q repeated.csv "${exactly[@]}" -f repeated.json
near() { paste <(weights "$1") <(weights "$2") | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-7) far = 1; ++n } END { exit far || n < 3 }'; }
check "a row of weight 2 counts as two rows" near weighted.json repeated.json
run fit -q times.csv "${exactly[@]}" --ignore times -f plain.json
check "weights matter" eval '! near weighted.json plain.json'
awk -F, -v OFS=, 'BEGIN { srand(8); print "a", "y" } NR > 1 { a = rand() - .5; print a, (a + .3 * rand() > .2) ? 1 : -1 }' table.csv >sides.csv
run learn -q sides.csv --label y --loss logistic --reg zero --class-weights 0,0 -f none.json
check "nothing is learned from classes of weight 0" eval 'test -z "$(weights none.json | grep -vx 0.0)"'
run learn -q sides.csv --label y --loss logistic -f even.json
run learn -q sides.csv --label y --loss logistic --class-weights 1,5 -f rare.json
check "a heavier class moves the intercept towards it" eval 'awk "{ exit !(\$1 > \$2) }" <(paste <(weights rare.json | tail -n 1) <(weights even.json | tail -n 1))'

# Columns that cannot be used as they are.
awk -F, -v OFS=, '{ print $4, $5, (NR == 1 ? "a" : $5), (NR == 1 ? "one" : 1), $6 }' table.csv >twice.csv
run learn twice.csv --label y
expect "a name of two columns is refused" 2 "2 columns are called 'a' \(number 1 and 3\); rename one, or leave them out with --ignore a"
run learn twice.csv --label y --ignore a
expect "two columns of one name can be left out" 0 'constant in all rows, and so without effect: one$'
awk -F, -v OFS=, 'NR % 7 == 3 { $2 = NR % 2 ? "" : "NA" } { print }' table.csv >gaps.csv
run learn gaps.csv "${names[@]}" -p gaps.p -f gaps.json
expect "a time that is missing is no error" 0 '400 rows in 400 rounds' 'missing times, whose features are 0: 57'
run predict -q gaps.json gaps.csv -p again.p
expect "predict reads rows without a time" 0
awk -F, -v OFS=, 'NR > 1 && NR < 100 { $2 = "" } { print }' table.csv >late-times.csv
run learn late-times.csv "${names[@]}"
expect "times may be missing in all first rows" 0 'missing times, whose features are 0: 98'
run learn gaps.csv "${names[@]}" --missing stop
expect "a missing time names its cures" 3 'the time is missing' '--on-bad-row skip'
cut -d, -f2,6 table.csv >only.csv
run learn only.csv --label y
expect "a table without a feature names lags and times" 2 'no column of only.csv is left as a feature' '--time when makes features' "--lags 1..8 makes features of the earlier values of 'y'"
awk -F, -v OFS=, 'NR > 1 { $6 = "" } { print }' table.csv >bare.csv
run learn bare.csv "${names[@]}"
expect "rows of which none has a label are a warning" 0 "no row has a label in the column 'y', so nothing was learned"
run learn table.csv "${names[@]}" --categories 1000000
expect "features of text have a limit" 2 '--categories 1000000: text would become 1000000 features.*at most 100000'
{ sed -E '3s/"a": [^,]*/"a": NaN/; 5s/"b": [^,]*/"b": -Infinity/' table.jsonl; echo '{"id": "NaN", "when": "2024-01-01", "city": "Infinity", "a": 1, "b": 2, "y": 3}'; } >nan.jsonl
run learn nan.jsonl "${names[@]}"
expect "NaN and Infinity in JSON are missing values" 0 '401 rows in 401 rounds'

# A model to start from, and options that contradict it.
run learn -q table.csv "${names[@]}" --start whole.json
expect "a run starts from a model" 0
refuses() { # PATTERN ARGS...
    local pattern=$1
    shift
    run learn -q table.csv "$@"
    expect "a start refuses ${*: -2}" 2 "$pattern"
}
refuses '--raw: the features of the model are standardised' "${names[@]}" --start whole.json --raw
refuses '--hash 5: the model has no hashed text' "${names[@]}" --start whole.json --hash 5
refuses "--categories 3: the model has 8 for 'city'" "${names[@]}" --start whole.json --categories 3
refuses '--text a: the column of the model holds numbers' "${names[@]}" --start whole.json --text a
refuses '--ignore b: the model needs this column' --label y --ignore b --time when --start whole.json
awk -F, -v OFS=, 'NR > 1 { $6 = $6 > 5 ? "yes" : "no" } { print }' table.csv >classes.csv
run learn -q classes.csv "${names[@]}" --loss logistic --classes no,yes -f classes.json
run learn -q classes.csv "${names[@]}" --start classes.json --classes yes,no
expect "a start refuses another order of classes" 2 '--classes yes,no: the model has the classes no,yes'

# Texts keep the features that the model gave them, whatever row comes first.
whole=(--label y --ignore id,a --time when --loss squared --reg l2sq:0.01)
run fit -q table.csv "${whole[@]}" -f fitted.json -p fitted.p
{ head -n 1 table.csv; tail -n +2 table.csv | tac; } >turned.csv
run fit -q turned.csv "${whole[@]}" --start fitted.json --test-only -p turned.p
check "fit reads texts as its start does" cmp <(tail -n +2 fitted.p | cut -d, -f3) <(tail -n +2 turned.p | cut -d, -f3 | tac)
run fit -q classes.csv "${names[@]}" --loss logistic --classes yes,no --start classes.json
expect "fit refuses a start with another order of classes" 2 '--classes yes,no: the model has the classes no,yes'
