#!/usr/bin/env bash
# proxstream compare: its options, tuning, scored rows, seeds, its files, and what it refuses.
. "$(dirname "$0")/common.bash"

small=(builtin:drift,rows=400,features=5 --loss cauchy --reg l1:0.01)
three=(--learners 'time-smoothed; adagrad; prox-sgd:0.05,replay=2')
run compare --help
expect "compare --help lists its options" 0 '--learners A;B' '--tune PART' '--score-after PART' '--seeds N' '--csv FILE' '--chart FILE.svg'
check "compare --help lists no option that it does not use" eval '! grep -qE -- "--(predictions|save|ledger|certificate|test-only|progress|also-window|learner|store|keep)[ ,]" "$work/out"'
cd "$work" || exit
for option in predictions save ledger certificate progress also-window learner store metrics metrics-every report; do
    run compare "${small[@]}" "${three[@]}" --$option 1
    expect "compare refuses --$option and says what to do" 2 "^.*--$option: not an option of 'compare'; (run 'proxstream learn' with --$option|name the learners with --learners)"
done
run compare "${small[@]}" "${three[@]}" -p p -f m
expect "compare refuses short options too" 2 "-p: not an option of 'compare'.*--predictions" "-f: not an option of 'compare'.*--save"
echo 'save = "m.json"' >"$work/s.toml"
run compare "${small[@]}" -c "$work/s.toml"
expect "compare refuses these keys in a file" 2 "s.toml:1: save: not an option of 'compare'; run 'proxstream learn'"
check "a refused run writes nothing" test ! -e m.json -a ! -e m -a ! -e p -a ! -e 1
run compare "${small[@]}" --learners 'adam, adagrad'
expect "a comma between learners is explained" 2 "a ';' separates learners, not a ','. write 'adam; adagrad'"
run compare "${small[@]}" --learners 'adam:0.1,beta1=0.8; ensemble:windows=2/8,also=adam'
expect "commas within a learner are its own" 0 '^adam:0.1,beta1=0.8 '

# The table.
narrow() { awk 'length > 80 { print; bad = 1 } END { exit bad }' <(sed -n '/^learner /,/^$/p' "$work/out"); }
run compare "${small[@]}" --quiet
expect "without --learners a list for everyday use runs" 0 '^400 rows, cauchy' '^time-smoothed ' '^time-smoothed:window=1024 ' '^adagrad ' '^ftrl ' '^coin ' '^rls ' '^left out: last-value: .*--lags 1' '^the automatic window is '
check "its table fits 80 columns" narrow
check "one learner is marked as the best" test "$(grep -c '[0-9]\* ' "$work/out")" = 1
run compare "${small[@]}" --quiet --learners 'adam; rls'
expect "the verdict names the first learner" 0 '^adam is [0-9.]+ % above the best \(rls\)$|^adam is the best; the next \(rls\) is [0-9.]+ % above it$'

# Tuning and scoring.
run compare "${small[@]}" --quiet "${three[@]}" --tune 0.1 --score-after 0.25
expect "rivals are tuned on a fraction of the rows, and figures count the rest" 0 '^tuned on the first 40 rows: adagrad \(7 values\)$' '^figures: only the 300 rows after row 100; certificates: all rows$' '^adagrad:step=[0-9.]+ ' '^prox-sgd:0.05,replay=2 '
cp "$work/out" "$work/fraction"
run compare "${small[@]}" --quiet "${three[@]}" --tune 40 --score-after 100
check "numbers of rows say the same" diff <(sed 's/ [0-9.]*$//' "$work/fraction") <(sed 's/ [0-9.]*$//' "$work/out")
chosen=$(grep -oE '^adagrad:step=[0-9.]+' "$work/out")
run compare "${small[@]}" --quiet --learners "time-smoothed; $chosen" --score-after 100
check "the chosen value alone has the same loss" test "$(awk '/^adagrad/ { print $2 }' "$work/fraction")" = "$(awk '/^adagrad/ { print $2 }' "$work/out")"
awk 'BEGIN { srand(2); print "a,b,y"; for (i = 0; i < 300; ++i) { a = rand(); b = rand(); print a "," b "," 2 * a - b + 0.1 * rand() } }' >"$work/rows.csv"
"$PROXSTREAM" compare --label y --quiet --tune 50 --learners 'time-smoothed; ftrl' <"$work/rows.csv" >"$work/out" 2>"$work/err"
status=$? out=$(<"$work/out") err=$(<"$work/err")
expect "standard input is tuned on a number of rows" 0 '^tuned on the first 50 rows: ftrl' '^300 rows'
cp "$work/out" "$work/piped"
run compare "$work/rows.csv" --label y --quiet --tune 50 --learners 'time-smoothed; ftrl'
check "a file gives the same table" diff <(sed 's/ [0-9.]*$//' "$work/piped") <(sed 's/ [0-9.]*$//' "$work/out")
"$PROXSTREAM" compare --label y --tune 0.1 <"$work/rows.csv" >"$work/out" 2>"$work/err"
status=$? out=$(<"$work/out") err=$(<"$work/err")
expect "a fraction of standard input is refused" 2 'tune = 0.1: a fraction needs the number of rows.*give a number of rows, as 2000'
run compare "${small[@]}" --tune 1.5 --score-after=-1 --seeds 0
expect "bad parts and seeds are refused at once" 2 "tune = '1.5': expected a fraction" "score-after = '-1'" "seeds = '0': expected a whole number"
run compare "${small[@]}" "${three[@]}" --quiet --score-after 1000
expect "scoring after the end is an error" 2 'the data end after 400 rows, so no figure is left'

# Seeds, and files.
run compare "${small[@]}" --quiet "${three[@]}" --seeds 3 --csv "$work/t.csv" --chart "$work/t.svg"
expect "seeds add a column for the spread" 0 'over best +spread' '^prox-sgd:0.05,replay=2 +[0-9.]+[* ] +[0-9.]+% +[0-9.]+%' '^adagrad +[0-9.]+[* ] +[0-9.]+% +- '
check "the table with seeds fits 80 columns" narrow
check "the CSV has a line for each learner, of as many fields" eval '[ "$(wc -l <"$work/t.csv")" = 4 ] && sed "s/\"[^\"]*\"/x/" "$work/t.csv" | awk -F, "{ if (n && NF != n) exit 1; n = NF }"'
check "the CSV has the digits of the table" test "$(awk -F, '/^adagrad/ { printf "%.6g", $7 }' "$work/t.csv")" = "$(awk '/^adagrad/ { sub(/[*]/, "", $2); print $2 }' "$work/out")"
check "the chart has a curve for each learner" eval 'grep -q "</svg>" "$work/t.svg" && [ "$(grep -c "class=\"line" "$work/t.svg")" -ge 6 ] && grep -q "over that of time-smoothed" "$work/t.svg"'
run compare "${small[@]}" "${three[@]}" --csv -
check "--csv - prints nothing but the CSV" eval '[ "$(wc -l <"$work/out")" = 4 ] && head -1 "$work/out" | grep -q ^learner,candidates,'
cp "$work/rows.csv" "$work/before.csv"
run compare "$work/rows.csv" --label y --csv "$work/rows.csv" --chart "$work/no/such/t.svg"
expect "files that cannot or should not be written are refused" 2 'csv = .*a file of the data' 'chart = .*no file can be written there'
check "the data are as they were" cmp "$work/rows.csv" "$work/before.csv"

# A learner that fails.
run compare builtin:drift,rows=400,features=5 --loss squared --quiet --learners 'time-smoothed; prox-gradient:1e200; adam'
expect "a learner that fails does not end the others" 0 '^prox-gradient:1e200 +failed in round [0-9]: the loss is not finite' '^adam +[0-9.]+' '^time-smoothed +[0-9.]+'
sed '200s/.*/0.5,0.5,1e200/' "$work/rows.csv" >"$work/huge.csv"
run compare "$work/huge.csv" --label y --loss squared --quiet --learners 'time-smoothed; adam'
expect "a row that all learners refuse is reported" 4 'all learners refused 1 rounds' '^adam +[0-9.]+'
sed '200s/.*/0.5,x,1/' "$work/rows.csv" >"$work/bad.csv"
run compare "$work/bad.csv" --label y --quiet --tune 0.2 --learners 'time-smoothed; adam'
expect "rows before a bad one are compared, tuned on their first fraction" 3 "bad.csv:200, column 2 .b.: 'x'" '^tuned on the first 39 rows' '^198 rows'
