#!/usr/bin/env bash
# learn from data to predictions, model, ledger and certificate.
. "$(dirname "$0")/common.bash"

awk 'BEGIN { srand(3); print "a,b,noise,y"
             for (i = 0; i < 400; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," 2*a - b + 1 + (rand()-.5)/10 } }' >"$work/rows.csv"
rows="$work/rows.csv"

run learn "$rows" --label y --loss cauchy --reg l1:0.001 -w 16 --also-window 1,8 -p "$work/p" -f "$work/m.json" --ledger "$work/l.jsonl"
"$PROXSTREAM" learn -q "$rows" --raw --label y --loss cauchy --reg l1:0.001 -w 16 -f "$work/raw.json"
expect "learn ends with footer and certificate" 0 '400 rows in 400 rounds' 'best constant' 'non-zeros' 'C1 ' 'C6 ' 'Proved on this run'
expect "learn shows the progress columns" 0 'rounds +avg loss +since last.*Reg_w.*exit gap +steps'
check "one prediction a row" test "$(wc -l <"$work/p")" = 400
check "the model is versioned JSON" grep -q '"format": "proxstream-model"' "$work/m.json"
check "the model found the weights" awk '/"x": \[/ { getline a; getline b; exit !(a+0 > 1.7 && a+0 < 2.1 && b+0 < -0.7) }' "$work/raw.json"

tail -n +1 "$work/err" | sed -n '/^Certificate/,$p' >"$work/live"
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
check "LIBSVM rows give the same predictions" awk 'NR == FNR { a[NR] = $1; next } { d = a[FNR] - $1; if (d > 1e-9 || d < -1e-9) exit 1 }' "$work/p_raw" "$work/p_svm"
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
    expect "learn runs $learner" 0 'Certificate of 400 rounds'
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
expect "learn names the chosen loss and the reason" 0 'minimise +cauchy \+ zero' 'cauchy on a standardised label: the default' 'MSE [0-9.e+-]+ +MAE [0-9.e+-]+'
run learn "$rows" --label y -w 16 --loss squared
check "learn gives no reason for explicit choices" bash -c '! grep -q "the default" "$1"' _ "$work/err"
awk 'BEGIN { srand(3); print "a,b,y"; for (t = 0; t < 400; ++t) { a = rand() - 0.5; print a "," rand() - 0.5 "," (a > 0) } }' >"$work/classes.csv"
run learn "$work/classes.csv" --label y -w 16
expect "learn notes a label with two values" 0 'two values; for classes say --loss logistic'
run learn "$work/classes.csv" --label y -w 4 --loss logistic
expect "learn adds a ridge to logistic and names the reason" 0 'logistic \+ l2sq:0.001' 'the default for logistic' 'proximal +\(mu/2\)' 'C7c'
run learn "$work/classes.csv" --label y -w 4 --loss logistic --reg zero --ledger "$work/l.jsonl"
expect "learn keeps --reg zero" 0 'logistic \+ zero' 'Proved on this run'
check "a separable window gives no warning" bash -c '! grep -q "above that of the best constant" "$1"' _ "$work/err"
run certify "$work/l.jsonl"
expect "certify accepts a run with a proximal term" 0 'C7c.*holds'
sed -E 's/"mu":[0-9.e-]+/"mu":0.5/' "$work/l.jsonl" >"$work/false.jsonl"
run certify "$work/false.jsonl"
check "certify rejects a changed mu" [ "$status" != 0 ]
awk 'BEGIN { srand(4); print "a,b,y"; for (t = 0; t < 400; ++t) print rand() - 0.5 "," rand() - 0.5 "," (rand() > 0.5) }' >"$work/noise.csv"
run learn "$work/noise.csv" --label y -w 4 --loss logistic --reg zero --proximal 0 --max-steps 5 --tolerance 1e-6
expect "learn warns of a loss above the best constant" 0 'warning: the loss is above that of the best constant' 'ended on their budget: try --max-steps 50' 'try --reg l2sq:0.001'
run learn "$rows" --label y --proximal much
expect "learn refuses a proximal term that is not a number" 2 "proximal"
