#!/usr/bin/env bash
# proxstream fit: every method, what a certificate says, bad input, models that are used again.
. "$(dirname "$0")/common.bash"

small=(builtin:iid,rows=300,features=8 --loss cauchy --reg l1:0.01)
# field FILE KEY [BLOCK]: a number or word of a certificate, the first below the key BLOCK.
field() { awk -v key="\"$2\":" -v block="\"${3:-format}\":" '$1 == block { inside = 1 } inside && $1 == key { gsub(/[",]/, "", $2); print $2; exit }' "$1"; }
last_of() { tail -n 1 "$1" | cut -d, -f"$2"; }

run fit --help
expect "fit --help lists its options" 0 'Usage: proxstream fit' '--epsilon EPS' '--store FILE' '--test-samples N'
check "fit --help lists no option of compare-fit" eval '! grep -qE -- "--(methods|scales|seeds|at|out) " "$work/out"'
run fit "${small[@]}" --epsilno 1 --passses 3
expect "mistyped options get a suggestion" 2 "'--epsilno'; did you mean '--epsilon'" "'--passses'; did you mean '--passes'"
run fit "${small[@]}" -m paonc
expect "a mistyped method gets a suggestion" 2 "unknown method 'paonc'; did you mean 'panoc'" 'spiderboost'
run fit "${small[@]}" -m prox-sgd:bacth=3
expect "a mistyped argument of a method gets a suggestion" 2 "'bacth='.*did you mean 'batch='"
run fit "${small[@]}" -m storm --confidence 2 --test-samples 3 -o middle
expect "all values out of range are reported at once" 2 'confidence = 2' 'test-samples = 3' "output = 'middle': .*best, last, random"
for method in auto panoc adam; do
    run fit "${small[@]}" -m $method -o random
    expect "a random index of $method is refused" 2 'output = random.*no random index'
done

run list methods
methods=$(awk '/^  [a-z]/ { sub(/[:[].*/, "", $1); print $1 }' "$work/out")
check "list methods names all methods" test "$(wc -w <<<"$methods")" -ge 14
for method in $methods; do
    arguments=(--passes 20)
    [ "$method" = reduction ] && arguments+=(--epsilon 10)
    run fit "${small[@]}" -m "$method" "${arguments[@]}" --trace "$work/t" --certificate "$work/c" -f "$work/m"
    expect "fit by $method" 0 'certificate: ' 'F1 .*holds' 'F2 .*(holds|up to rounding)' 'base samples in .* calls'
    check "$method: the trace ends with the certificate's counts" test "$(last_of "$work/t" 1,2)" = "$(field "$work/c" iterations),$(field "$work/c" base_samples cost)"
done

run fit "${small[@]}" --trace "$work/t" --certificate "$work/c" -f "$work/m" -p "$work/p"
expect "without --epsilon a fit goes to 1e-6" 0 'certificate: converged' 'F3 .*<= epsilon.* 1.000e-06 .*holds' 'F4 .*holds' 'model saved to'
check "the certificate has claims, counts and parameters" eval 'for part in "\"status\": \"converged\"" "\"sound\": true" "\"id\": \"F1\"" "\"id\": \"F4\"" "\"exact\": true" "\"full_passes\"" "\"prox\"" "\"referee_cost\"" "\"name\": \"memory\"" "\"proved\": true"; do grep -qF -- "$part" "$work/c" || exit 1; done'
check "the trace has the last gap" test "$(last_of "$work/t" 6)" = "$(field "$work/c" gap last)"
check "the trace has a line for each iteration" test "$(wc -l <"$work/t")" = $(($(field "$work/c" iterations) + 2))
run fit -q "${small[@]}"
check "--quiet prints nothing" eval '[ -z "$out$err" ]'
run fit "${small[@]}" --epsilon 1e-9 --passes 3
expect "an epsilon out of reach ends with status 1" 1 'epsilon = 1e-09 was not reached: .*budget_exhausted' 'F3 .*VIOLATED'
run fit "${small[@]}" -m prox-sgd --passes 7 --trace "$work/t"
expect "--passes ends a fit" 0 'budget_exhausted'
check "--passes is kept up to a batch" awk -F, 'END { exit !($3 >= 7 && $3 < 7.2) }' "$work/t"
run fit "${small[@]}" -m prox-sgd --iterations 33 --certificate "$work/c"
check "--iterations ends a fit" test "$status $(field "$work/c" iterations)" = "0 33"
run fit "${small[@]}" -m prox-sgd --seconds 0.05 --certificate "$work/c"
check "--seconds ends a fit" eval '[ $status = 0 ] && awk -v s="$(field "$work/c" seconds cost)" "BEGIN { exit !(s >= 0.05 && s < 2) }"'
run fit "${small[@]}" -m prox-sgd --passes 1e9 --seconds 1e9 --iterations 4 --certificate "$work/c"
check "the first budget that is used up ends the fit" test "$status $(field "$work/c" iterations)" = "0 4"
run fit "${small[0]}" -m prox-sgd --step-scale 1e9 --passes 50
expect "a step that leads to infinity ends with status 4" 4 'not finite' 'smaller --step-scale'

cat >"$work/fit.toml" <<'T'
loss = "cauchy"
reg = "l1:0.01"
method = "spiderboost:batch=20"
passes = 99
T
run fit -q "${small[0]}" -c "$work/fit.toml" --passes 8 -f "$work/m1"
expect "fit reads a TOML file" 0
run fit -q "${small[@]}" -m spiderboost:batch=20 --passes 8 -f "$work/m2"
check "TOML with flags over it equals the flags" cmp "$work/m1" "$work/m2"
printf 'epsilno = 3\n' >"$work/bad.toml"
run fit -q "${small[0]}" -c "$work/bad.toml"
expect "a mistyped key gets a suggestion" 2 "bad.toml:1: .*'epsilno'; did you mean 'epsilon'"

# Bad input.
classes() { awk 'BEGIN { srand(3); print "a,b,c,y"; for (i = 0; i < 120; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," (a + b + (rand() - .5)/3 > 0) } }'; }
classes >"$work/good.csv"
logistic() { run fit -q "$1" --loss logistic --reg l1:0.001 "${@:2}"; }
logistic "$work/good.csv"
expect "labels 0 and 1 are classes" 0
sed '50s/,[01]$/,2/' "$work/good.csv" >"$work/labels.csv"
logistic "$work/labels.csv"
expect "labels that do not fit the loss are refused" 3 "labels.csv:50, column 4 \(y\): unknown label '2'"
awk -F, -v OFS=, 'NR > 1 { $4 = NR / 7 } { print }' "$work/good.csv" >"$work/numbers.csv"
logistic "$work/numbers.csv"
expect "numbers in place of classes are refused" 3 'numbers.csv:[234], column 4 \(y\)'
run fit -q "$work/good.csv" --loss factors:rank=2
expect "a loss for other rows is refused" 2 'factors:rank=2'
sed '60s/^[^,]*/nan/' "$work/good.csv" >"$work/nan.csv"
logistic "$work/nan.csv" --missing stop
expect "a NaN in a row is refused" 3 "nan.csv:60, column 1 \(a\): 'nan'"
run fit "$work/nan.csv" --loss logistic --missing stop --on-bad-row skip
expect "a row with NaN can be skipped" 0 'bad rows skipped: 1; the last one: .*nan.csv:60' '119 rows of 3 features'
head -c 2000 "$work/good.csv" | sed '$s/,[^,]*$//' >"$work/cut.csv"
logistic "$work/cut.csv"
expect "a file cut within a row is refused" 3 "cut.csv:$(grep -c '' "$work/cut.csv"): the row has [1-3] columns?; expected 4"
gzip -c "$work/good.csv" >"$work/good.csv.gz"
logistic "$work/good.csv.gz"
expect "a compressed file is read" 0
head -c 700 "$work/good.csv.gz" >"$work/cut.csv.gz"
for policy in stop skip; do
    logistic "$work/cut.csv.gz" --on-bad-row $policy
    expect "a compressed file cut in half ($policy)" 3 'cut.csv.gz: .*torn file.* at byte 700'
done
: >"$work/empty.csv"
logistic "$work/empty.csv"
expect "an empty file is refused" 3 'empty.csv.*no rows'
head -n 1 "$work/good.csv" >"$work/header.csv"
logistic "$work/header.csv"
expect "a header without rows is refused" 3 'header.csv.*no rows'
logistic "$work/none.csv"
expect "a missing file is refused" 5 'none.csv.*No such file'
for reg in group:0.1,size=2 'l1:weights=1;2' nuclear:0.1,rows=2,cols=2 'affine:a=1;1,b=1'; do
    run fit -q "$work/good.csv" --loss logistic --reg "$reg"
    expect "a regulariser that does not fit: $reg" 2 '\b3\b'
done
awk -F, -v OFS=, 'NR > 1 { $3 = 7 } { print }' "$work/good.csv" >"$work/constant.csv"
run fit "$work/constant.csv" --loss logistic
expect "a constant column is noted" 0 'constant column: c' 'certificate: converged'
awk -F, -v OFS=, 'NR == 6 || NR == 9 { $1 = $2 = $3 = 0 } { print }' "$work/good.csv" >"$work/zeros.csv"
run fit "$work/zeros.csv" --loss logistic
expect "rows of zeros are noted" 0 '2 rows of zeros, the first is row 5' 'certificate: converged'
awk -F, 'NR > 1 { print ($4 ? "+1" : "-1") " 1:" $1 " 3:" $2 }' "$work/good.csv" >"$work/good.svm"
run fit "$work/good.svm" --loss logistic
expect "sparse rows are fitted" 0 '120 rows of 3 features' 'certificate: converged'
run fit "$work/good.svm" --loss logistic --standardise
expect "sparse rows are not standardised" 2 'standardise: sparse rows'
run fit -q --loss logistic -d - --label y <"$work/good.csv"
expect "an empty standard input is refused" 3

if [ -e /dev/full ]; then
    for full in trace save certificate predictions; do
        rm -f "$work"/o.*
        outputs=()
        for each in trace save certificate predictions; do outputs+=("--$each" "$([ $each = $full ] && echo /dev/full || echo "$work/o.$each")"); done
        run fit "${small[@]}" "${outputs[@]}"
        expect "a full disk under the $full is an error" 5 '/dev/full.*No space' 'certificate: converged'
        check "the other outputs are written in spite of a full disk" test "$(find "$work" -name 'o.*' -size +0 | wc -l)" = 3
    done
else
    echo "skip full disk: there is no /dev/full here"
fi

# Models that are used again, in the units of the data.
awk 'BEGIN { srand(4); print "a,b,c,y"; for (i = 0; i < 150; ++i) { a = 10 + 4*rand(); b = 100*(rand() - .5); print a "," b "," rand() "," 40 + 3*a + .2*b + (rand() - .5)/3 } }' >"$work/rows.csv"
rows=("$work/rows.csv" --loss cauchy --reg l1:0.001)
for scale in '' --standardise --standardise-label '--standardise --standardise-label'; do
    # shellcheck disable=SC2086
    {
        run fit -q "${rows[@]}" $scale --passes 3000 --epsilon 1e-6 -f "$work/m" -p "$work/p" --certificate "$work/c"
        expect "fit ${scale:-without scaling} saves a model" 0
        run predict -q "$work/m" "$work/rows.csv" -p "$work/p2"
        check "predict says the same from its model" cmp "$work/p" "$work/p2"
        run fit "${rows[@]}" $scale --start "$work/m" --test-only -p "$work/p2" --certificate "$work/c2"
        expect "the model is measured again" 0 'after 0 iterations' 'method: 0 base samples'
    }
    check "the measured model predicts as the fit did" cmp "$work/p" "$work/p2"
    check "the measured model has the gap of its certificate" test "$(field "$work/c" gap last)" = "$(field "$work/c2" gap last)"
    check "predictions are near the labels" awk -F, 'NR == FNR { p[NR - 1] = $3; next } FNR > 1 { d = $4 - p[FNR - 1]; s += d*d } END { exit !(FNR == 151 && s/150 < 0.02) }' "$work/p" "$work/rows.csv"
done
run fit "${rows[@]}" --test-only
expect "--test-only asks for a model" 2 'test-only: needs a model'
run fit "${rows[@]}" --start "$work/m"
expect "a model of other scales is refused" 2 'disagree about standardisation'
run fit "$work/rows.csv" --loss squared --standardise --standardise-label --start "$work/m"
expect "a model of another loss is refused" 2 "learned with loss 'cauchy'"

# Matrix factorisation, and a small network.
awk 'BEGIN { srand(4); print "i,j,y"; for (i = 1; i <= 12; ++i) for (j = 1; j <= 9; ++j) if (rand() < .7) print i "," j "," (1 + i/6)*(2 - j/9) }' >"$work/entries.csv"
for reg in zero l1:0.001 nonneg group:0.001,size=2; do
    run fit "$work/entries.csv" --loss factors:rank=2 --reg "$reg" --epsilon 1e-5 --passes 3000 -f "$work/m" -p "$work/p"
    expect "factors with $reg are fitted" 0 'certificate: converged' 'over 42 numbers'
    check "factors with $reg meet the entries" awk -F, 'NR == FNR { p[NR - 1] = $3; next } FNR > 1 { d = $3 - p[FNR - 1]; s += d*d } END { exit !(s/(FNR - 1) < 1e-3) }' "$work/p" "$work/entries.csv"
done
check "the model of factors has its size" grep -q '"loss": "factors:rank=2,rows=12,columns=9"' "$work/m"
run fit -q "$work/entries.csv" --loss factors:rank=2 --reg group:0.001,size=2 --start "$work/m" -t -p "$work/p2"
check "the model of factors predicts again" cmp "$work/p" "$work/p2"
run predict -q "$work/m" "$work/entries.csv" -p "$work/p2"
check "predict says the same from the model of factors" cmp "$work/p" "$work/p2"
run fit -q "$work/entries.csv" --loss factors:rank=2 --reg group:0.1,size=5
expect "groups that do not fit the factors are refused" 2 '42 .*blocks of 5'
sed '20s/^[^,]*/1.5/' "$work/entries.csv" >"$work/between.csv"
run fit -q "$work/between.csv" --loss factors:rank=2
expect "an entry with a fractional index is refused" 3 'between.csv:20: row number 1.5'
run fit "$work/rows.csv" --loss mlp:hidden=4 --reg l1:0.001 --standardise --standardise-label --epsilon 1e-3 --passes 500 -p "$work/p"
expect "a small network with L1 is fitted" 0 'certificate: converged' 'over 21 numbers'

# Expectations.
run fit sampler:regression --passes 20 --test-samples 2048 --certificate "$work/c" -f "$work/m"
expect "a fit to a sampler has confidence intervals" 0 'by an independent batch, the interval is' '95 %' 'F2 .*(holds|undecided)'
check "the certificate of a sampler has confidence intervals" eval 'grep -q "\"exact\": false" "$work/c" && grep -q "\"confidence\": 0.95" "$work/c" && awk -v e="$(field "$work/c" gap_error best)" "BEGIN { exit !(e > 0) }"'
run fit sampler:regression --passes 20 --test-samples 2048 --start "$work/m" -t
expect "the model of a sampler is measured again" 0 'after 0 iterations'
run fit sampler:ramp -m panoc --epsilon 0.01
expect "a sampler with a closed form is measured exactly" 0 'certificate: converged' 'F3 .*holds'
for method in panoc accelerated backtracking prox-grad; do
    run fit sampler:classification -m $method
    expect "$method refuses a sampler" 2 "'$method': it needs the exact gradient.*spiderboost"
done
run fit sampler:regression --epsilon 1e-6 --passes 10 --test-samples 256
expect "an epsilon that needs a batch above the budget is refused" 1 'an iteration would take [0-9]+ base samples, more than the whole budget' 'was not reached' 'method: 0 base samples'
run fit sampler:rmap
expect "a mistyped sampler gets a suggestion" 2 "unknown sampler 'rmap'; did you mean 'ramp'"
run fit sampler:ramp "$work/rows.csv"
expect "a sampler beside a file is refused" 2 'data: a sampler cannot be combined'
run fit sampler:ramp -p "$work/p" --standardise
expect "options of rows are refused for a sampler" 2 'predictions: a sampler has no rows' 'standardise.*a sampler makes its own rows'
run fit --data sampler:ramp --loss logistic --format csv --no-intercept
expect "a loss is refused for a sampler" 2 'loss: a sampler makes its own rows' 'format: a sampler' 'intercept: a sampler'
run fit sampler:ramp --reg 'l1:weights=1;2;3'
expect "a regulariser that does not fit a sampler is refused" 2 '3 weights do not fit 2'
