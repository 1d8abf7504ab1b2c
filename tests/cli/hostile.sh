#!/usr/bin/env bash
# Files that are made to hurt end in a short message, within bounded memory; output that cannot be written is an error.
. "$(dirname "$0")/common.bash"
# A sanitizer's program needs more room than any limit leaves.
limited=no
(ulimit -v 4000000 && "$PROXSTREAM" --version) >"$work/out" 2>&1 && ulimit -v 4000000 && limited=yes
shorter() { test "$(wc -c <"$work/err")" -lt "$1"; }

# TOML: the depth of keys, floods of keys, long values.
key=$(printf 'a%.0s.' $(seq 50000))a
echo "$key = 1" >"$work/key.toml"
echo "[$key]" >"$work/table.toml"
for file in key table; do
    for verb in "learn builtin:drift -c" "fit builtin:iid -c" "route builtin:ring -c" "compare builtin:drift -c" \
        "play rps -c" "play" "serve"; do
        run $verb "$work/$file.toml"
        expect "$verb refuses a key of 50,001 parts, $file.toml" 3 "$file.toml:1: a key has more than 32 parts between dots; expected at most 32"
    done
done
for i in $(seq 20000); do echo "unknown$i = $i"; done >"$work/flood.toml"
run learn builtin:drift -c "$work/flood.toml"
expect "a flood of unknown keys is counted" 2 "flood.toml:1: unknown key 'unknown" 'flood.toml: and 19990 more'
check "the message about it is short" shorter 20000
{ printf 'rate = "'; head -c 3000000 /dev/zero | tr '\0' x; echo '"'; } >"$work/long.toml"
sed 's/^rate/loss/' "$work/long.toml" >"$work/loss.toml"
sed 's/^rate/window/' "$work/long.toml" >"$work/window.toml"
sed 's/^rate/max-steps/' "$work/long.toml" >"$work/steps.toml"
sed 's/^rate = "\(.*\)"/\1 = 1/' "$work/long.toml" >"$work/name.toml"
for file in loss window steps name; do
    run learn builtin:drift -c "$work/$file.toml"
    expect "$file.toml with 3 MB in a line is refused" 2 'xxxx'
    check "the message about $file.toml is short" shorter 6000
done
run learn "$work/flood.toml" -c /dev/zero
expect "settings without end are refused" 3 '/dev/zero: .*larger than'
if [ $limited = yes ]; then
    run predict /dev/zero "$work/flood.toml"
    expect "a model without end is refused" 5 '/dev/zero: cannot be read: Cannot allocate memory'
else
    echo "skip a model without end: the memory of this program cannot be limited"
fi

# Rows.
printf '1 1:1 3:2\n-1 2:1\n1 100000000:1\n' >"$work/large.svm"
run learn "$work/large.svm" --loss logistic
expect "a large LIBSVM index is refused, with the option that allows it" 3 'large.svm:3, column 2: index 100000000 is too large; expected at most 1000000 where' '--dimension N allows more'
printf 'a,a,y\n1,2,3\n2,3,4\n' >"$work/twice.csv"
run learn "$work/twice.csv" --label y
expect "two columns of one name are refused" 2 "2 columns are called 'a'"
{ printf 'a,y\n1,2\n'; head -c 3000000 /dev/zero | tr '\0' '\n'; echo 1,2; } | gzip >"$work/blank.csv.gz"
run learn "$work/blank.csv.gz" --label y
expect "a flood of blank lines is refused" 3 'blank.csv.gz:1000003: more than 1000000 blank lines follow each other'
run learn "$work/blank.csv.gz" --label y --on-bad-row skip
expect "a flood of blank lines is refused though bad rows are skipped" 3 'more than 1000000 blank lines'

{ printf '{"y":1'; for i in $(seq 20000); do printf ',"k%d":1' "$i"; done; echo '}'; } >"$work/wide.jsonl"
run learn "$work/wide.jsonl" --label y
expect "a JSON row of 20,000 keys is refused" 3 'wide.jsonl:1: the object has more than 10000 keys'

# JSON that nests deeply, where a copy of the document would recurse.
many() { head -c 1000000 /dev/zero | tr '\0' "$1"; }
nested() { printf '%s' "$1"; many '['; many ']'; echo "$2"; }
nested '{"format":' '}' >"$work/format.json"
nested '{"format":"proxstream-strategies","version":1,"players":[' ']}' >"$work/strategies.json"
nested '{"a":' ',"y":1}' >"$work/nest.jsonl"
nested '{"period":1,"demand":' '}' >"$work/demand.jsonl"
road_links >"$work/links.csv"
run show "$work/format.json"
expect "show refuses a nested model" 3 'format.json: neither a run store nor a model'
run predict "$work/format.json" "$work/twice.csv"
expect "predict refuses a nested model" 3 'format.json: is not whole JSON'
run play rps --rounds 2 --start "$work/strategies.json"
expect "play refuses nested strategies" 3 'strategies.json: lists are nested too deeply'
run learn "$work/nest.jsonl" --label y
expect "learn refuses a nested row" 3 'nest.jsonl:1: .* is not a whole JSON object'
run route "$work/links.csv" "$work/demand.jsonl"
expect "route refuses nested demand" 3 'demand.jsonl:1: lists or objects are nested too deeply'

# Networks.
tntp() { printf '<NUMBER OF ZONES> %s\n<NUMBER OF NODES> %s\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n1 2 9 1 1 0.15 4 0 0 1;\n' "$1" "$2"; }
tntp 2 2000000000 >"$work/nodes.tntp"
tntp 2000000000 2 >"$work/zones.tntp"
printf 'Origin 1\n2 : 3;\n' >"$work/trips.tntp"
run assign "$work/nodes.tntp" "$work/trips.tntp"
expect "nodes without links are not believed" 3 'nodes.tntp:2 \(NUMBER OF NODES\): the metadata say 2000000000 nodes, the links have 2; expected at most 1002 with 1 link'
run assign "$work/zones.tntp" "$work/trips.tntp"
expect "more zones than nodes are refused" 3 'zones.tntp:1 \(NUMBER OF ZONES\): the metadata say 2000000000 zones, the network has 2 nodes'

# Output that cannot be written. Verbs that need arguments get them; the others and --help go through the same end.
run learn builtin:drift,rows=200 -q --store "$work/a.run"
expect "a run is stored" 0
builtin_rows() { awk 'BEGIN { print "a,y"; for (i = 1; i <= 20; ++i) print i/20 "," i%3 }'; }
builtin_rows >"$work/rows.csv"
run learn "$work/rows.csv" --label y -q -f "$work/rows.json"
declare -A prints=(
    [certify]="certify $work/a.run" [show]="show $work/a.run" [runs]="runs $work" [list]="list"
    [compare]="compare builtin:drift,rows=50 -q --learners time-smoothed" [predict]="predict $work/rows.json $work/rows.csv"
    [export]="export $work/a.run --what figures" [advise]="advise builtin:drift,rows=200"
    [assign]="assign $work/links.csv $work/trips.csv"
    [route]="route builtin:ring --periods 2 --no-compare -q --decisions -" [learn]="learn builtin:drift,rows=50 -q --ledger -"
    [fit]="fit builtin:iid,rows=50 --passes 2 -q --trace -" [play]="play rps --rounds 5 -q --trace -"
    [compare-fit]="compare-fit builtin:iid,rows=50 --passes 2 --methods prox-grad -q --threads 1"
)
road_links >"$work/links.csv"
printf 'origin,destination,demand\nA,D,5\n' >"$work/trips.csv"
verbs=$("$PROXSTREAM" --help | sed -n '/^verbs:/,/^$/ s/^  \([a-z-]*\) .*/\1/p')
if [ -e /dev/full ]; then
    for verb in $verbs; do
        # shellcheck disable=SC2086 # several arguments
        for line in "$verb --help" ${prints[$verb]:+"${prints[$verb]}"}; do
            "$PROXSTREAM" $line >/dev/full 2>"$work/err" </dev/null
            status=$?
            : >"$work/out"
            expect "full: ${line//$work\//}" 5 '^proxstream: .*(standard output|<stdout>|-): .*No space left'
        done
    done
    for line in --help --version '--version --verbose' "resume $work/a.run --help"; do
        "$PROXSTREAM" $line >/dev/full 2>"$work/err" </dev/null
        status=$?
        expect "full: ${line//$work\//}" 5 'standard output: cannot be written: No space left'
    done
else
    echo "skip full standard output: there is no /dev/full here"
fi
# A reader that has gone: quiet, status 141. The pipe has no reader before the program begins.
for verb in $verbs; do
    for line in "$verb --help" ${prints[$verb]:+"${prints[$verb]}"}; do
        gone() { "$PROXSTREAM" $line 2>"$work/err" </dev/null; echo $? >"$work/status"; }
        { while [ ! -e "$work/closed" ]; do :; done; gone; } | { exec <&-; : >"$work/closed"; }
        rm -f "$work/closed"
        status=$(<"$work/status")
        expect "reader gone: ${line//$work\//}" 141
        check "quiet: ${line//$work\//}" sh -c "! grep -q 'standard output' '$work/err'"
    done
done

# Help of verbs that need a run.
run fork --help
expect "fork has help" 0 'proxstream fork RUN NEW'
run fit builtin:iid --passes 2 -q --store "$work/fit.run"
run resume "$work/fit.run" --help
expect "resume of a fit has help" 0 '--passes'
check "without the options of compare-fit" sh -c "! grep -qE -- '--(methods|scales|seeds|at|out) ' '$work/out'"

# --scale of built-in demand.
for network in builtin:ring builtin:grid builtin:mesh; do
    for scale in 1 2; do
        run route $network --periods 3 --scale $scale --no-compare -q --out "$work/scale$scale"
    done
    total() { awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "demand") column = i } NR > 1 { sum += $column } END { print sum }' "$work/scale$1/periods.csv"; }
    check "--scale 2 doubles the demand of $network" awk -v a="$(total 1)" -v b="$(total 2)" 'BEGIN { exit !(a > 0 && b / a > 1.9999 && b / a < 2.0001) }'
done
for scale in 1 2; do
    run assign builtin:mesh --scale $scale
    eval "demand$scale=\$(grep -oE 'demand [0-9.]+' '$work/out' | head -1)"
done
check "--scale 2 doubles the demand of assign builtin:mesh" awk -v a="${demand1#demand }" -v b="${demand2#demand }" 'BEGIN { exit !(a > 0 && b / a > 1.999 && b / a < 2.001) }'
run route builtin:ring --periods 2 --scale 1e300
expect "a scale out of range is refused" 3 'built-in city:[0-9]+: the demand is too large; expected at most 1e150, scaled'

run --version
expect "--version is one line" 0 '^proxstream [0-9.]+$'
check "one line" test "$(wc -l <"$work/out")" = 1
run --version --verbose
expect "--version --verbose names libraries and compiler" 0 '^proxstream [0-9.]+$' '^compiler .*[0-9]+\.[0-9]+.*build type [A-Za-z]+' '^instructions ' '^SQLite +3\.[0-9.]+ +3\.' \
    '^zlib +1\.' '^Expat +2\.' '^OpenSSL +3\.[0-9.]+ +3\.' '^libmicrohttpd +0\.9\.[0-9]+ +0\.9' '^oneTBB +2021\.[0-9.]+ +2021' '^Eigen +3' '^fmt +' '^toml\+\+ +3' '^nlohmann json +3' '^CLI11 +2' '^Random123'
run learn $'a\x1b[2Jb\nc.csv'
expect "control codes do not reach the terminal" 5 '^proxstream: a\\x1b\[2Jb$'
