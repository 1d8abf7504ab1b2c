#!/usr/bin/env bash
# advise: tables from given figures and from data, and refusals.
. "$(dirname "$0")/common.bash"

given=(--smoothness 4 --noise 2 --swing 1 --step 0.25)
# cell W COLUMN: a figure of the last table.
cell() { awk -v w="$1" -v column="$2" '$1 == w { print $column; exit }' "$work/out"; }
# near NAME VALUE WANTED: equal to four digits.
near() { check "$1" awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (1e-3 * b) ^ 2) }'; }

run advise "${given[@]}" --windows 16,64 --tail subgaussian
expect "a table from given figures" 0 'step eta +0.25 +given, c = 1 - eta L/2 = 0.5' 'D-sg' '\(23\)' 'at eta >= 1/L it has none' \
    '^  proxstream learn DATA --batch ROWS --window 64 --oracle minibatch:1 --noise 2 --step 0.25 .* --confirm 1$'
near "sigma = sigma_0 sqrt(w)" "$(cell 64 3)" 16
near "above sigma/sqrt(c) a round ends" "$(cell 64 4)" 22.627
near "delta is twice that" "$(cell 64 5)" 45.254
near "rho is delta/w" "$(cell 64 6)" 0.70711
run advise --smoothness 4 --noise 2 --swing 1
expect "without --step, the step is 1/(2L)" 0 'step eta +0.125 +1/\(2L\), c = 1 - eta L/2 = 0.75' '4.9 times what is needed there'
run advise "${given[@]}" --windows 16 --delta 8
near "a smaller delta asks for more samples" "$(cell 16 2)" 16
run advise "${given[@]}" --windows 16 --across shared --tail bounded --oracle-batch 4
expect "bounds for bounded noise that all records share" 0 "5'" 'D-bdd' '--oracle sphere:2,samples=4,noise=shared'
near "averaging does not lower a sure bound" "$(cell 16 3)" 32
run advise --smoothness 0.1 --noise 1 --swing 0 --step 4 --windows 1
expect "a step where the paper's condition is too weak is named" 0 'too small there: rounds need not end'
run advise "${given[@]}" --windows 8,16,32 --delta 12 --oracle-batch 1
expect "every window too short for the given delta is refused by name" 0 '^ +16 ' 'refused: w = 32: .*above 16;.* 2 base samples'

run advise builtin:iid,rows=4000,features=4 --loss huber:2 --reg l1:0.02 --batch 200 --windows 16,64
expect "missing figures are estimated from data" 0 'the largest bound of the first 20 records' 'upper 95 % limit over 20 records of 200 rows at 4 points, approximate' \
    'a quarter of the stationarity gap at the start' 'proxstream learn builtin:iid,rows=4000,features=4 --loss huber:2 --reg l1:0.02 --batch 200 --window 64'
cp "$work/out" "$work/first"
run advise builtin:iid,rows=4000,features=4 --loss huber:2 --reg l1:0.02 --batch 200 --windows 16,64
check "a second run gives the same estimates" cmp "$work/out" "$work/first"
command=$(tail -n 1 "$work/out")
eval "run ${command#  proxstream} --certificate -"
expect "the recommended command runs" 0 'C11 .* holds' 'C12 .* holds'
run advise builtin:drift,rows=640,features=4 --batch 32 --noise 3 --swing 2 --variation 1 --smoothness 9 --confidence 0.99
expect "given figures are not estimated" 0 'L +9 +given' 'sigma_0 +3 +given' 'swing +2 +given' 'variation +1 +given'
run advise builtin:drift,rows=640,features=4 --batch 32 --loss mlp:hidden=4
expect "a network's smoothness is marked as not proved" 0 '2 times the steepest change of gradient met at 4 points: not a bound'
run advise builtin:drift,rows=200
expect "records of one row have no sampling noise" 0 'every record has one row' 'no noise to advise on'
run advise builtin:drift,rows=640 --batch 8 --delta 1
expect "a window that needs more samples than a record has is starred" 0 '[0-9]\*' 'draws the 8 rows a record has' 'No window here can do with samples'
awk 'BEGIN { srand(5); print "a,b c"; for (i = 0; i < 80; ++i) print rand() "," rand() }' >"$work/odd name.csv"
run advise "$work/odd name.csv" --label 'b c' --batch 8 --no-intercept --oracle-batch 2
expect "the recommended command is quoted for a shell" 0 "'$work/odd name.csv' --label 'b c' --no-intercept --batch 8 --window 128 --oracle minibatch:2"

refused() { run advise "${@:3}"; expect "$1" 2 "$2"; }
refused "a delta below the noise is refused" 'w = 8: delta = 1: a round may never end.*c delta.2 = 0.5 .*sigma.2 = 32.*smallest delta that works is above 8; .*65 base samples' \
    "${given[@]}" --delta 1 --oracle-batch 1
refused "a batch larger than a record is refused" 'batch = 9: a record has 8 rows' builtin:drift,rows=80 --batch 8 --oracle-batch 9
refused "a step of 2/L is refused" 'w = 8, 16: step = 0.5: must be below 2/L = 0.5' --smoothness 4 --noise 2 --swing 1 --step 0.5 --windows 8,16
refused "advise without figures and data is refused" 'swing: give it, or data' --smoothness 1 --noise 1
refused "a noise that is too large is refused" 'noise = 1e.200: must be 0 or more and at most 1e.150' --smoothness 1 --noise 1e200 --swing 1
refused "an unknown tail is refused with the known ones" "did you mean 'variance'" "${given[@]}" --tail vairance
refused "a mistyped option gets a suggestion" "did you mean '--smoothness'" --smothness 4
refused "--window is refused in favour of --windows" "did you mean '--windows'" "${given[@]}" --window 8
refused "a confidence outside (0, 1) is refused" 'confidence = 1: must be' "${given[@]}" --confidence 1
run advise --smoothness -1 --noise -2 --swing nan --windows 0,x --delta 0 --confirm 0 --oracle-batch 0 --tail none --across all
expect "all violations are reported at once" 2 'smoothness = -1' 'noise = -2' "swing: 'nan'" "windows = '0'" "windows = 'x'" \
    'delta = 0' "confirm = '0'" "oracle-batch = '0'" "tail 'none'" "records 'all'"
run advise "$work/absent.csv"
expect "a missing data file is refused by name" 5 'absent.csv.*No such file'
printf 'a,y\n1,2\n' >"$work/short.csv"
run advise "$work/short.csv"
expect "a single record is refused as too few" 2 '1 records .* too few'
run advise --help
expect "help" 0 '--windows A,B' '--oracle-batch B' '--loss LOSS'
