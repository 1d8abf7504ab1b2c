#!/usr/bin/env bash
# learn from data to predictions, model, ledger and certificate.
. "$(dirname "$0")/common.bash"

awk 'BEGIN { srand(3); print "a,b,noise,y"
             for (i = 0; i < 400; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," 2*a - b + 1 + (rand()-.5)/10 } }' >"$work/rows.csv"
rows="$work/rows.csv"

run learn "$rows" --label y --loss cauchy --reg l1:0.001 -w 16 --also-window 1,8 -p "$work/p" -f "$work/m.json" --ledger "$work/l.jsonl"
"$PROXSTREAM" learn -q "$rows" --raw --label y --loss cauchy --reg l1:0.001 -w 16 -f "$work/raw.json"
expect "learn ends with a summary" 0 '400 rows in 400 rounds' 'average loss +0.[0-9]+ +\(best constant 0.[0-9]+, previous label 0.[0-9]+\)' \
    'metrics +MAE [0-9.]+   RMSE [0-9.]+   R2 0.9' 'non-zeros +[34] of 4' 'certificate +[0-9]+ of [0-9]+ statements hold; --certificate - prints them' 'model +/.*m.json'
expect "learn shows the progress columns" 0 'rounds +avg loss +since last +steps +non-zero'
check "the screen is at most 80 columns wide" awk -v folder="$work" '!index($0, folder) && length > 80 { print; exit 1 }' "$work/err"
check "the certificate is printed on request only" bash -c '! grep -q "^Certificate" "$1" "$2"' _ "$work/out" "$work/err"
check "one prediction a row, below a header" eval 'test "$(wc -l <"$work/p")" = 401 && test "$(head -n 1 "$work/p")" = row,label,prediction'
check "predictions have row and label" awk -F, 'NR == FNR { y[FNR] = $4; next } FNR > 1 && ($1 != FNR - 1 || $2 != y[FNR] + 0) { exit 1 }' "$rows" <(sed -E 's/,([^,]*)e/,\1E/' "$work/p")
check "the model is versioned JSON" grep -q '"format": "proxstream-model"' "$work/m.json"
check "the model found the weights" awk '/"x": \[/ { getline a; getline b; exit !(a+0 > 1.7 && a+0 < 2.1 && b+0 < -0.7) }' "$work/raw.json"

run learn "$rows" --label y --loss cauchy --reg l1:0.001 -w 16 --also-window 1,8 --verbose --certificate - --ledger "$work/l.jsonl"
expect "learn --certificate - prints the certificate" 0 '^Certificate of 400 rounds' 'C1 ' 'C6 ' 'Proved on this run'
expect "learn --verbose shows the details" 0 'rounds +avg loss +since last.*Reg_w.*exit gap +steps' 'learner +time-smoothed.*step .*tolerance'
cp "$work/out" "$work/live"
run learn -q "$rows" --label y -w 16 --certificate "$work/c.json"
check "learn --certificate FILE writes JSON" grep -q '"inequalities"' "$work/c.json"
run certify "$work/l.jsonl"
expect "certify recomputes the certificate" 0 'Certificate of 400 rounds'
check "live and recomputed certificates are equal" diff "$work/live" "$work/out"
run certify --json "$work/l.jsonl"
expect "certify writes JSON" 0 '"C3a"'

# The same rows from other sources give the same predictions.
run learn -q -d - --format csv --label y --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_stdin"
expect "an empty standard input is refused" 3 'no rows|empty'
"$PROXSTREAM" learn -q --label y --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_stdin" <"$rows"
check "standard input equals the file" cmp "$work/p" "$work/p_stdin"
gzip -c "$rows" >"$work/rows.gz"
run learn -q "$work/rows.gz" --label y --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_gz"
check "gzip rows give the same predictions" cmp "$work/p" "$work/p_gz"
sed 's/$/\r/' "$rows" >"$work/crlf.csv"
run learn -q "$work/crlf.csv" --label y --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_crlf"
check "CRLF rows give the same predictions" cmp "$work/p" "$work/p_crlf"
awk -F, 'NR > 1 { print $4 " 1:" $1 " 2:" $2 " 3:" $3 }' "$rows" >"$work/rows.libsvm"
run learn -q "$work/rows.libsvm" --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_svm"
run learn -q "$rows" --raw --label y --loss cauchy --reg l1:0.001 -w 16 -p "$work/p_raw"
check "LIBSVM rows give the same predictions" awk -F, 'NR == FNR { a[NR] = $3; next } FNR > 1 { d = a[FNR] - $3; if (d > 1e-9 || d < -1e-9) exit 1 }' "$work/p_raw" "$work/p_svm"
"$PROXSTREAM" learn -q --loss cauchy --format libsvm <"$work/rows.libsvm" 2>"$work/err"; status=$?; : >"$work/out"
expect "LIBSVM from a pipe asks for the dimension" 2 'dimension'

cat >"$work/settings.toml" <<'T'
label = "y"
loss = "cauchy"
reg = "l1:0.001"
window = 99
also-window = [1, 8]
T
run learn "$rows" -c "$work/settings.toml" -w 16 -p "$work/p_toml" --ledger "$work/l2.jsonl"
check "a TOML file with flags over it equals the flags" cmp "$work/p" "$work/p_toml"
check "the same run gives the same ledger" diff <(grep -v '"settings"' "$work/l.jsonl" | sed 's/,"h":.*//; /"end"/d; /seconds/d') <(grep -v '"settings"' "$work/l2.jsonl" | sed 's/,"h":.*//; /"end"/d; /seconds/d')
printf 'widnow = 3\nstep = [[1]]\nreg = true\n' >"$work/bad.toml"
run learn "$rows" -c "$work/bad.toml"
expect "TOML violations are reported at once, with line and nearest key" 2 "bad.toml:1: .*'widnow'.*'window'" 'bad.toml:2: step' "unknown regulariser 'true'"
printf 'window = \n' >"$work/torn.toml"
run learn "$rows" -c "$work/torn.toml"
expect "invalid TOML names file and line" 3 'torn.toml:1'

run learn "$rows" --label y --widnow 3 --tolerance -1 --reg l3:1 --batch 0 --inner newton --learner sdg
expect "violations of options are reported at once" 2 "did you mean '--window'" 'tolerance = -1' "unknown regulariser 'l3'; did you mean 'l1'" 'batch = 0' "unknown inner solver 'newton'" "unknown learner 'sdg'"
run learn "$rows" --label z
expect "an unknown column names the known ones" 2 "'z'" 'y'

# Starting from a saved model.
run learn -q "$rows" --label y --loss squared --start "$work/m.json"
expect "a model of another loss is refused" 2 "loss 'cauchy'"
head -c 200 "$work/m.json" >"$work/torn.json"
run learn -q "$rows" --label y --loss cauchy --start "$work/torn.json"
expect "a torn model is refused" 3 'torn.json.*not whole JSON'

for learner in prox-gradient prox-sgd:0.1,replay=3 momentum adam adagrad:replay=3 window-steps re-solve full-history; do
    run learn "$rows" --label y --loss squared -w 8 --learner "$learner" --ledger "$work/b.jsonl"
    expect "learn runs $learner" 0 '400 rows in 400 rounds' 'certificate  +[0-9n]'
    run certify "$work/b.jsonl"
    expect "certify accepts a run of $learner" 0
done
run learn "$rows" --label y --loss "mlp:hidden=4" --reg l1:1e-4 -w 16 --step 0.05 --max-steps 5
expect "a small network learns" 0 '400 rows'
run learn "$rows" --label y --loss squared --reg box:-1,1 --inner prox-grad -w 8 -b 10
expect "a constrained model learns from batches of rows" 0 '400 rows in 40 rounds'
run learn "$rows" --loss pca --features a,b,noise --reg l2ball:1 --no-intercept
expect "PCA needs no label" 0

# Defaults, and the reasons that are printed.
run learn "$rows" --label y -w 16
expect "learn names the chosen loss and the reason" 0 'minimise +cauchy \+ zero' 'cauchy on a standardised label: the default' 'MAE [0-9.e+-]+ +RMSE [0-9.e+-]+ +R2 [0-9.e+-]+'
run learn "$rows" --label y -w 16 --loss squared
check "learn gives no reason for explicit choices" bash -c '! grep -q "the default" "$1"' _ "$work/err"
awk 'BEGIN { srand(3); print "a,b,y"; for (t = 0; t < 400; ++t) { a = rand() - 0.5; print a "," rand() - 0.5 "," (a > 0) } }' >"$work/classes.csv"
run learn "$work/classes.csv" --label y -w 16
expect "learn notes a label with two values" 0 'two values; for classes say --loss logistic'
run learn "$work/classes.csv" --label y -w 4 --loss logistic -p "$work/p" --verbose --certificate -
expect "learn adds a ridge to logistic and names the reason" 0 'logistic \+ l2sq:0.001' 'the default for logistic' 'proximal +\(mu/2\)' 'C7c'
expect "learn prints metrics of two classes" 0 'metrics +accuracy 0.[0-9]+   log loss [0-9.]+   AUC 0.[0-9]+   F1 0.[0-9]+'
check "predictions of classes have a probability" awk -F, 'NR == 1 { exit ($0 != "row,label,prediction,p(1)") } $2 !~ /^[01]$/ || $3 != ($4 >= 0.5) { exit 1 }' "$work/p"
awk -F, -v OFS=, 'NR > 1 { $3 = $3 == 1 ? "yes" : "no" } { print }' "$work/classes.csv" >"$work/named.csv"
run learn -q "$work/named.csv" --label y -w 4 --loss sigmoid --classes no,yes -p -
check "predictions of named classes have names, and a score without probabilities" awk -F, 'NR == 1 { exit ($0 != "row,label,prediction,score") } $2 !~ /^(yes|no)$/ || ($3 == "yes") != ($4 >= 0) { exit 1 }' "$work/out"

# Metrics while rows come.
run learn -q "$work/classes.csv" --label y -w 4 --loss logistic --metrics "$work/m.csv" --metrics-every 150 --metrics-window 50
check "metrics are CSV with progressive and newest figures" test "$(head -n 1 "$work/m.csv")" = row,loss,accuracy,log_loss,auc,f1,recent_loss,recent_accuracy,recent_log_loss,recent_auc,recent_f1
check "metrics have a line every 150 rows and one at the end" test "$(cut -d, -f1 "$work/m.csv" | paste -sd' ')" = 'row 150 300 400'
run learn "$rows" --label y --metrics "$work/m.csv" --metrics-every 0
expect "metrics of every 0 rows are refused" 2 'metrics-every = 0'
run learn "$rows" --label y --metrics "$work/no/such/folder/m.csv"
expect "metrics without a folder are refused" 5 'no/such/folder/m.csv'
"$PROXSTREAM" learn builtin:drift,rows=200000 -w 1 -p - 2>"$work/err" | head -n 3 >"$work/out"
status=${PIPESTATUS[0]}
expect "a reader that has enough ends the run quietly" 141 '^row,label,prediction$' 'stopped: the reader of the output has closed it' 'certificate +[0-9]'
check "a reader that has enough is no error" bash -c '! grep -qi "broken pipe\|cannot" "$1"' _ "$work/err"
run learn "$work/classes.csv" --label y -w 4 --loss logistic --reg zero --ledger "$work/l.jsonl"
expect "learn keeps --reg zero" 0 'logistic \+ zero' 'certificate +[0-9]+ of'
check "a separable window gives no warning" bash -c '! grep -q "above that of the best constant" "$1"' _ "$work/err"
run certify "$work/l.jsonl"
expect "certify accepts a run with a proximal term" 0 'C7c.*holds'
sed -E 's/"mu":[0-9.e-]+/"mu":0.5/' "$work/l.jsonl" >"$work/false.jsonl"
run certify "$work/false.jsonl"
check "certify rejects a changed mu" [ "$status" != 0 ]
awk 'BEGIN { srand(4); print "a,b,y"; for (t = 0; t < 400; ++t) print rand() - 0.5 "," rand() - 0.5 "," (rand() > 0.5) }' >"$work/noise.csv"
run learn "$work/noise.csv" --label y -w 4 --loss logistic --reg zero --proximal 0 --max-steps 5 --tolerance 1e-6
expect "learn warns of a loss above the best constant" 0 'warning: the loss is above that of the best constant' '400 of 400 rounds ended on their budget: try --max-steps 50'
run learn "$work/classes.csv" --label y -w 4 --loss logistic --raw --reg zero --proximal 0
expect "learn warns of scores without bounds" 0 'warning: scores grow up to .* no regulariser'
run learn "$rows" --label y --loss squared -w 3 --reg zero --proximal 0
expect "learn warns of a window that is too short" 0 'warning: a window of 3 does not determine 4 coordinates: try --window auto'
awk -F, -v OFS=, 'NR > 1 { $1 *= 1e4 } { print }' "$rows" >"$work/wide.csv"
run learn "$work/wide.csv" --label y --raw
expect "learn warns of columns on different scales" 0 'warning +column scales differ by a factor of .*: try leaving out --raw' 'warning: column scales differ'
run learn "$work/wide.csv" --label y
check "scaled columns give no warning" bash -c '! grep -q "scales differ" "$1"' _ "$work/err"
run learn "$rows" --label y --proximal much
expect "learn refuses a proximal term that is not a number" 2 "proximal"

# A sender that waits for each answer: with --survey 1 the first row is predicted before the second one comes.
mkfifo "$work/rows.pipe" "$work/answers.pipe"
"$PROXSTREAM" learn -q -d - --label y --loss cauchy --step 0.1 -w 4 --survey 1 -p - <"$work/rows.pipe" >"$work/answers.pipe" 2>"$work/err" &
learner=$!
exec 8>"$work/rows.pipe" 9<"$work/answers.pipe"
head -n 2 "$rows" >&8
answered=0
for line in 3 4 5; do
    [ $line = 3 ] && read -r -t 20 _ <&9
    read -r -t 20 _ <&9 && answered=$((answered + 1))
    sed -n ${line}p "$rows" >&8
done
exec 8>&-
wait $learner
exec 9<&-
check "with --survey 1 every row is answered before the next one comes" test $answered = 3
