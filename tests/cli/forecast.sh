#!/usr/bin/env bash
# Forecasting from the command line: lags, running units of the label, gross errors on purpose.
. "$(dirname "$0")/common.bash"

awk 'BEGIN { srand(4); print "time,load"
             for (i = 0; i < 600; ++i) print "day " i "," 1000 + 300 * sin(i * 0.26179938) + 20 * rand() }' >"$work/load.csv"
rows="$work/load.csv"
forecast=(--label load --ignore time --lags 1..3,24 --standardise --standardise-label --loss cauchy -w 32)

run learn "$rows" "${forecast[@]}" -p "$work/p" -f "$work/m.json"
expect "a time stamp and a value are enough for a forecast" 0 '4 dense features, standardised, label too' \
    'past values of load, 1,2,3,24 rows ago; the first 24$' '576 rows in 576 rounds'
check "predictions start when the lags are full" test "$(wc -l <"$work/p")" = 577
check "predictions are in the units of the data" awk -F, 'NR == FNR { y[FNR - 24] = $2; next } FNR > 300 { d = $3 - y[FNR]; s += d < 0 ? -d : d } END { exit !(s / 277 < 30) }' "$rows" "$work/p"
check "the model names its lags" grep -q 'load\[-24\]' "$work/m.json"
gzip -c "$rows" | "$PROXSTREAM" learn -q "${forecast[@]}" -p "$work/p_gz"
check "gzip from standard input gives the same forecasts" cmp "$work/p" "$work/p_gz"
{ head -n 200 "$rows"; } >"$work/one.csv"
{ head -n 1 "$rows"; tail -n +201 "$rows"; } >"$work/two.csv"
run learn -q "$work/one.csv" "$work/two.csv" "${forecast[@]}" -p "$work/p_two"
check "lags reach over the end of a file" cmp "$work/p" "$work/p_two"
cat >"$work/s.toml" <<'T'
label = "load"
ignore = ["time"]
lags = ["1..3", 24]
standardise = true
standardise-label = true
loss = "cauchy"
window = 32
T
run learn -q "$rows" -c "$work/s.toml" -p "$work/p_toml"
check "TOML settings give the same forecasts" cmp "$work/p" "$work/p_toml"

run learn -q "$rows" "${forecast[@]}" --start "$work/m.json"
expect "a model continues with its own lags" 0
run learn -q "$rows" "${forecast[@]}" --lags 23 --start "$work/m.json"
expect "a model refuses other lags" 2 'learned with lags 1,2,3,24, not lags 1,2,3,24,23'
run compare "$rows" "${forecast[@]}" --learners 'time-smoothed; adagrad'
expect "compare explains the use of the first rows" 0 'only fill them' 'adagrad'
run learn "$rows" "${forecast[@]}" --ahead 12
expect "lags below the horizon are refused" 2 '1 looks into the future: with ahead = 12'
run learn "$rows" --label load --ignore time --lags 1 --loss logistic
expect "the past of classes is refused" 2 "the label of loss 'logistic' is not a number"
run learn "$work/one.csv" "${forecast[@]}" --lags 300
expect "a stream shorter than its lags is refused" 3 'end before the longest lag is filled'
sed '100s/,.*/,/' "$rows" >"$work/gap.csv"
run learn "$work/gap.csv" "${forecast[@]}" --missing stop --on-bad-row skip
expect "a missing value does not end a forecast" 0 '575 rows in 575 rounds' 'rows without a label, predicted only: 1'
