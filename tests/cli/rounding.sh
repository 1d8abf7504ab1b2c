#!/usr/bin/env bash
# Rounding and certificates on the command line: no claim that rounding may have caused, and no false alarm.
. "$(dirname "$0")/common.bash"

# At x = 1e12 a soft threshold of 1e-5 is lost: every gap is measured as 0, and is 0.01.
{ echo a,y; for _ in $(seq 50); do echo "1,0"; done; } >"$work/lost.csv"
cat >"$work/start.json" <<'T'
{"classes":[],"feature_count":1,"features":["a"],"format":"proxstream-model","intercept":false,"loss":"cauchy",
 "regulariser":"l1:0.01","rounds":0,"standardiser":null,"version":1,"x":[1e12]}
T
run learn "$work/lost.csv" --label y --loss cauchy --reg l1:0.01 --no-intercept --window 8 --model previous \
    --inner prox-grad --step 1e-3 --tolerance 1e-3 --start "$work/start.json" --ledger "$work/lost.jsonl" --certificate -
expect "a threshold lost in rounding is not certified" 0 'C1 .*not promised' 'C2 .*undecided' 'C3a .*undecided' \
    'rounding may exceed the tolerance' 'regret over 50 rounds is at most [0-9.e+]+ \(0 as measured'
check "a threshold lost in rounding claims no regret of 0" test -z "$(grep -E 'regret over 50 rounds is 0' <<<"$out")"
run certify "$work/lost.jsonl" --json
expect "the ledger gives the same verdicts" 0 '"verdict": "undecided"' '"regret_bound": '

# A shift rounds at its own size, however small the point is.
printf 'a,y\n1e6,1\n1e6,2\n1e6,1\n-1e6,1\n1e6,3\n' >"$work/shift.csv"
run learn "$work/shift.csv" --loss cauchy --reg 'shift:by=2,(l1:0.5)' --window 1 --no-intercept --tolerance 0.25 \
    --ledger "$work/shift.jsonl" --certificate -
expect "a shift of the regulariser raises no false alarm" 0 'Proved on this run'
check "the header has the size of a shift" grep -q '"gs":2,' "$work/shift.jsonl"
check "the loss that leaves a window of one is in the row" awk -F'"fo":' 'NR == 3 { exit !($2 + 0 > 0) }' "$work/shift.jsonl"

# A row that overflows is named, and sets no scale.
printf 'a,b,y\n1,2,3\n1e160,1e160,2\n1,1,1\n2,1,1\n' >"$work/huge.csv"
run learn "$work/huge.csv" -q --loss squared --raw
expect "a row that overflows is named" 4 'huge.csv:3: the loss is not a finite number here, or its gradient is beyond 1e150'
for verb in learn fit; do
    run $verb "$work/huge.csv" -q --loss squared --standardise
    expect "$verb names a number that is too large to be scaled" 3 'huge.csv:3 \(a\): the value is too large to be standardised'
    run $verb "$work/huge.csv" --loss squared --standardise --on-bad-row skip
    expect "$verb skips a row with such a number" 0 'bad rows skipped: 1; the last one: .*huge.csv:3' '3 rows'
done
run learn "$work/huge.csv" -q --label a --features b --raw --standardise-label
expect "a label that is too large to be scaled is named" 3 'huge.csv:3 \(a\): the value is too large'
run learn -q "$work/shift.csv" -f "$work/m.json"
printf 'a\n1\n1e160\n' >"$work/new.csv"
run predict -q "$work/m.json" "$work/new.csv"
expect "predict names a number that is too large to be scaled" 3 'new.csv:3 \(a\): the value is too large' '^1,'

# At every scale of data and labels, no honest run is called broken, no figure is NaN or infinite, and what
# leaves the range of double precision is said so. PROXSTREAM_LONG=1 tries all losses and more scales.
data_scales=(1e-300 1e-155 1 1e100 1e150 1e300)
label_scales=(1e-300 1e-160 1 1e155)
losses=(squared cauchy welsch)
if [ -n "${PROXSTREAM_LONG:-}" ]; then
    data_scales=(1e-300 1e-200 1e-155 1e-100 1e-50 1 1e50 1e75 1e100 1e150 1e200 1e300)
    label_scales=(1e-300 1e-250 1e-165 1e-155 1e-100 1 1e50 1e75 1e100 1e155 1e300)
    losses+=(huber geman-mcclure tukey absolute quantile pca mlp:hidden=3)
fi
scaled_rows() {  # DATA LABELS
    awk -v a="$1" -v b="$2" 'BEGIN {
        print "p,q,y"
        for (t = 1; t <= 40; ++t) {
            p = sin(t * 1.7) * 1.5; q = cos(t * t * 0.9)
            printf "%.17g,%.17g,%.17g\n", a * p, a * q, b * (p - 0.7 * q + (t > 20) * p + 0.2 * sin(t * 5.3))
        }
    }'
}
for loss in "${losses[@]}"; do
    for options in "--window 8 --raw" "--raw" "--window 8"; do
        wrong=
        for a in "${data_scales[@]}"; do
            for b in "${label_scales[@]}"; do
                scaled_rows "$a" "$b" >"$work/rows.csv"
                rm -f "$work/rows.jsonl"
                # shellcheck disable=SC2086
                run learn "$work/rows.csv" --loss "$loss" $options --ledger "$work/rows.jsonl" --certificate -
                [[ $status = [034] ]] && ! grep -qiE 'VIOLATED|not certified|cannot stand|header|key [A-Z]|\bnan\b|[^:]\binf\b' \
                    "$work/out" "$work/err" && ! tail -n +2 "$work/rows.jsonl" 2>/dev/null | grep -qiE '\b(nan|inf)\b' ||
                    wrong+=" $a/$b:$status"
            done
        done
        check "honest runs of $loss $options at all scales raise no false alarm$wrong" test -z "$wrong"
    done
done
scaled_rows 1 1e-200 >"$work/rows.csv"
run learn "$work/rows.csv" --loss squared --window 8 --raw --certificate -
expect "squares that underflow prove nothing" 0 'Nothing was proved: the figures leave the range of double precision'
