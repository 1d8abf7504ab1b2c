#!/usr/bin/env bash
# proxstream compare-fit: a table with a line a method, its folder, and what it refuses.
. "$(dirname "$0")/common.bash"

small=(builtin:iid,rows=300,features=8 --loss cauchy --reg l1:0.01)
run compare-fit --help
if [ "$status" = 2 ]; then
    expect "a program without the studies says so" 2 'built without the studies' '-DPROXSTREAM_STUDIES=ON'
    exit
fi
expect "compare-fit --help lists its options" 0 'Usage: proxstream compare-fit' '--methods A;B' '--scales A,B' '--out FOLDER'
check "compare-fit --help lists no option of fit" eval '! grep -qE -- "--(method|epsilon|iterations|output|save|trace|predictions|certificate|store|test-only|step-scale) " "$work/out"'
run compare-fit "${small[@]}" --save "$work/m"
expect "compare-fit refuses an option of fit" 2 "unknown option '--save'"
run fit "${small[@]}" --seeds 3
expect "fit refuses an option of compare-fit" 2 "unknown option '--seeds'; did you mean '--seed'"

run compare-fit "${small[@]}" --methods 'panoc;prox-sgd:batch=10;spiderboost' --scales 0.5,2 --seeds 2 --passes 6 --at 2,6 --out "$work/a/folder"
expect "compare-fit runs three methods" 0 '^panoc +own' '^prox-sgd:batch=10 +x (0.5|2)' '^spiderboost +x (0.5|2)' '\|P\|\^2, 2 passes +\|P\|\^2, 6 passes' 'written: .*table.md' '9/9 spiderboost x 2, seed 2'
check "the table has a line for each method" test "$(grep -cE '^(panoc|prox-sgd|spiderboost)' "$work/out")" = 3
check "the output folder has all files" eval 'cd "$work/a/folder" && [ -s table.md ] && [ -s results.csv ] && [ -s traces.csv ] && grep -q "</svg>" fits.svg'
check "results.csv has a line for each run" test "$(wc -l <"$work/a/folder/results.csv")" = 10
check "the lines of table.md have the same number of cells" awk '/^\|/ { gsub(/\\\|/, ""); n = gsub(/\|/, ""); if (m && n != m) exit 1; m = n; ++lines } END { exit lines != 5 }' "$work/a/folder/table.md"
check "all methods start from the same point" awk -F, 'NR > 1 && $4 == 0 { if (v && v != $7) exit 1; v = $7; ++n } END { exit n != 9 }' "$work/a/folder/traces.csv"
check "all methods use their six passes" awk -F, 'NR > 1 && !($5 >= 6 && $5 < 8.1) { exit 1 }' "$work/a/folder/results.csv"
cp "$work/a/folder/traces.csv" "$work/before.csv"
run compare-fit -q "${small[@]}" --methods 'panoc;prox-sgd:batch=10;spiderboost' --scales 0.5,2 --seeds 2 --passes 6 --at 2,6 --out "$work/a/folder" --threads 2
check "a second comparison differs only in seconds" cmp <(cut -d, -f1-5,7- "$work/before.csv") <(cut -d, -f1-5,7- "$work/a/folder/traces.csv")
check "--quiet still prints the table" eval '[ -z "$err" ] && grep -q "^panoc" "$work/out"'

run compare-fit -q "${small[@]}" --scales 1 --seeds 1 --passes 3
expect "without --methods compare-fit runs" 0
check "without --methods all methods but the reduction run" test "$(grep -cE ' own | x 1 ' "$work/out")" -ge 13
run compare-fit -q sampler:ramp --methods 'storm;panoc' --scales 1 --seeds 1 --passes 3
expect "a sampler with a closed form is compared" 0 '^storm' '^panoc'
run compare-fit -q sampler:regression --methods 'storm;panoc;adma' --scales 1,0 --at x
expect "all violations are reported at once" 2 'panoc.*exact gradient' "'adma'; did you mean 'adam'" 'scales = 0' 'at.*x'
run compare-fit -q "${small[@]}" --methods panoc --out /dev/null/folder
expect "an output folder that cannot be made is refused" 5 '/dev/null/folder'

"$PROXSTREAM" compare-fit builtin:iid,rows=3000,features=20 --loss cauchy --methods 'panoc;prox-sgd' --passes 60 --scales 1 --seeds 1000 --out "$work/cut" >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 200); do grep -q '^3/' "$work/err" && break; sleep 0.05; done
kill -INT $job
wait $job
status=$?
out=$(<"$work/out") err=$(<"$work/err")
expect "an interrupted comparison says so" 130 'interrupted after [0-9]+ of 1001 runs' '^panoc' '^prox-sgd'
check "an interrupted comparison writes its results" eval '[ "$(wc -l <"$work/cut/results.csv")" -ge 4 ] && grep -q "interrupted after" "$work/cut/table.md"'
