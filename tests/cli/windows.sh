#!/usr/bin/env bash
# Windows by weights, models, forecasts, ensembles and churn on the command line.
. "$(dirname "$0")/common.bash"

drift=(builtin:drift,rows=400,features=8 --loss cauchy --reg l1:0.02)
learn() { run learn "${drift[@]}" --certificate - "$@"; }

learn
expect "the default is an ensemble that plays its mean" 0 'window +auto' 'most active +(window )?[a-z0-9:.]+, in [0-9]+ %' 'most weight' \
    'C8 .* holds' 'C8b .* holds' 'Best member in hindsight' 'measured, not bounded'
for window in 16 box:16 exp:8 triangle:16 mean:30,keep=10 season:24,4 weights:0.5,0.3,0.2; do
    learn --window "$window"
    expect "--window $window runs" 0 "window +${window%%:*}|window +16" 'C2 .* (holds|up to rounding)' 'C5 .* (holds|up to rounding)'
done
for model in auto previous mean zero season:24; do
    learn --window 20 --model "$model"
    expect "--model $model runs" 0 'C3a .* (holds|up to rounding)' 'C5 .* (holds|up to rounding)'
done
for selection in draw draw:draws=fresh hedge leader mean mean:mixers=losses/tracking; do
    learn --window "auto:windows=4/16/64,also=none,selection=($selection)" --ledger "$work/ensemble.jsonl"
    expect "--selection $selection runs" 0 'an ensemble of 3 members'
    run certify "$work/ensemble.jsonl"
    expect "the ledger of --selection $selection certifies" 0 'C2 .* (holds|up to rounding)' 'an ensemble of 3 members'
done
check "the ledger has the weight and the loss of every member" \
    awk 'NR == 2 { exit !(/"ensemble":\{"k":[0-2],/ && /"p":\[[^,]+,[^,]+,[^],]+\]/ && /"l":\[[^,]+,[^,]+,[^],]+\]/ && gsub(/"f":/, "") == 4) }' "$work/ensemble.jsonl"
learn --seed 1 -p "$work/one.txt"
learn --seed 2 -p "$work/two.txt"
expect "another seed runs" 0
check "a mean does not depend on the seed" cmp "$work/one.txt" "$work/two.txt"

learn --window 16 -p "$work/plain.txt" --model previous
learn --window auto:windows=16,also=none,steps=1000,effort=inf --model previous -p "$work/ensemble.txt"
expect "an ensemble of one learner runs" 0
check "an ensemble of one equals its learner bit for bit" cmp "$work/plain.txt" "$work/ensemble.txt"

learn --window 16 --tolerance 0.5 --hysteresis 0.5
expect "--hysteresis runs" 0 'C7b? .* holds'
learn --window 16 --switching 0.5
expect "a price on switching" 0 'C7c .* holds'
learn --window 64 --inner panoc
expect "quasi-Newton steps, confirmed" 0 'C6 .* holds' 'C9 .* (holds|not applicable)'
learn --window 64 --inner measured
expect "a removed solver" 2 "unknown inner solver 'measured'"
learn --window 64 --effort 64
expect "--effort runs" 0 'record gradients'
run list windows models selections
expect "windows, models and selections are listed" 0 'exp:SPAN' 'season:S' 'mean\[:mixers' 'leader'

# forecasts
awk 'BEGIN { srand(3); print "a,y"; for (i = 1; i <= 60; ++i) print rand() "," rand() }' >"$work/data.csv"
csv=("$work/data.csv" --label y --window 8 --model forecast --certificate -)
run learn "${csv[@]}" --forecast "$work/data.csv"
expect "a correct forecast file runs" 0 'C2 .* (holds|up to rounding)'
head -30 "$work/data.csv" >"$work/short.csv"
run learn "${csv[@]}" --forecast "$work/short.csv"
expect "a forecast file that ends too soon is refused" 3 'short.csv:30.*forecasts end after 29 records' 'every record of the data'
sed 's/^/1,/; 1s/.*/z,a,y/' "$work/data.csv" >"$work/wide.csv"
run learn "${csv[@]}" --forecast "$work/wide.csv"
expect "a forecast of the wrong size is refused" 2 'wide.csv: its rows have 2 features, the data.s have 1'
run learn "${csv[@]}"
expect "--model forecast without a file is refused" 2 'needs the file of forecasts'
run learn "$work/data.csv" --label y --window 8 --forecast "$work/data.csv"
expect "a forecast file without --model forecast is refused" 2 'no model uses it'
run learn "$work/data.csv" --label y --learner time-smoothed:window=8,model=forecast
expect "a learner with model=forecast and no file is refused" 2 'needs the forecasts'
run learn "$work/data.csv" --label y --model forecast --forecast "$work/data.csv" --certificate -
expect "forecasts work with the automatic window" 0 'C8 .* holds'
sed '20s/,.*/,1e200/' "$work/data.csv" >"$work/wild.csv"
run learn "${csv[@]}" --forecast "$work/wild.csv"
expect "a forecast that overflows is ignored" 0 'C2 .* (holds|up to rounding)'
run learn - --label y --model forecast --forecast -
expect "standard input for data and forecasts is refused" 2 'only one of data and forecasts can come from standard input'
run learn "${csv[@]}" --forecast "$work/data.csv" --standardise
expect "forecasts with standardised rows are refused" 2 'leave out standardise'

# Refused windows, models and ensembles.
refused() { learn "${@:3}"; expect "$1" 2 "$2"; }
refused "a negative weight is refused" 'weight of age 1 is -0.1.*not negative' --window weights:0.5,-0.1
refused "weights with a sum above 1 are refused" 'add up to 1.6; at most 1' --window weights:0.8,0.8
refused "weights that are all 0 are refused" 'all 0' --window weights:0,0
refused "a season longer than the largest window is refused" 'whole number from 1 to 10000000' --model season:20000000
refused "a season with too many lags is refused" 'oldest lag' --window season:9999999,3
refused "an empty ensemble is refused" 'at least one window' --window auto:windows=/
refused "equal windows in an ensemble are refused" 'there twice' --window auto:windows=4/8/4
refused "equal learners in an ensemble are refused" 'there twice' --window 'auto:also=(adam:0.1)/(adam:0.1)'
refused "an ensemble in an ensemble is refused" 'cannot hold an ensemble' --window auto:windows=4/auto
refused "an ensemble among the learners of an ensemble is refused" 'cannot hold an ensemble' --window 'auto:also=(time-smoothed:window=auto)'
refused "an ensemble with window= is refused" 'did you mean windows' --learner ensemble:window=4
refused "an ensemble with --window is refused" 'chooses among its own windows' --learner ensemble --window 4
refused "a window longer than the limit is refused" 'longest must be at most' --window auto:longest=99999999
refused "a negative window is refused" 'whole number from 1' --window -4
refused "an unknown window is reported beside an unknown model" "window: .*foo" --window foo --model bar
refused "an unknown model is reported beside an unknown window" "model: .*bar" --window foo --model bar
learn --window 'auto:windows=1/4,also=(time-smoothed:window=64)/full-history'
expect "members with windows of their own get enough records" 0 '^  time-smooth.* hold$' '^  full-history .* hold$'
refused "an unknown window is refused" "did you mean 'triangle" --window triangel:4
refused "an unknown model is refused" 'known: auto, previous' --model median
refused "an unknown selection is refused" "did you mean 'leader'" --window auto:selection=leder
refused "an unknown --selection is refused" "did you mean 'mean'" --selection men
check "an unknown --selection is named once" test "$(grep -c "unknown selection" <<<"$err")" = 1
refused "a mean with an oracle is refused" 'needs exact losses' --selection mean --oracle gaussian:0.1 --batch 4
refused "an unknown mixer is refused" "unknown mixer 'tracker'" --window 'auto:selection=(mean:mixers=losses/tracker)'
refused "an unknown argument of an ensemble is refused" 'windws' --window auto:windws=4/8
refused "a hysteresis of 0 is refused" 'hysteresis' --hysteresis 0
refused "a negative --switching is refused" 'switching' --switching -1
refused "a negative tolerance factor is refused" 'auto\[:FACTOR\]' --tolerance auto:-2
run learn builtin:drift,rows=50,features=8 --window 8 --reg tv:0.1 --switching 1
expect "--switching with an unsuitable regulariser is refused" 2 'switching penalty'
