#!/usr/bin/env bash
# No output is an input or another output, and all can be written before the run begins. An existing file is
# replaced as a whole or not at all.
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

awk 'BEGIN { srand(5); print "a,b,y"
             for (i = 0; i < 300; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," 2*a - b + (rand()-.5)/10 } }' >x1.csv
cp x1.csv x1.kept
ln -s x1.csv symbolic.csv
ln x1.csv hard.csv
learn=(learn x1.csv --label y --window 8 --quiet)

for option in predictions save certificate ledger store metrics report; do
    for file in x1.csv ./x1.csv symbolic.csv hard.csv; do
        run "${learn[@]}" --$option $file
        expect "learn refuses --$option over its input, named $file" 2 "--$option $file: is also an input \(data\); nothing was written"
        check "the input is unchanged by --$option $file" cmp x1.csv x1.kept
    done
done
run learn symbolic.csv --label y --predictions hard.csv --quiet
expect "two names of the input are one file" 2 "--predictions hard.csv: is also an input"
run "${learn[@]}" --save new.json --certificate ./new.json
expect "two outputs may not be one new file" 2 "--certificate ./new.json: is also the output of --save|--save new.json: is also the output of --certificate"
for file in x1.csv symbolic.csv hard.csv; do
    for option in save predictions certificate trace; do
        run fit x1.csv --label y --$option $file --quiet
        expect "fit refuses --$option over its input, named $file" 2 "--$option $file: is also an input"
    done
    for option in csv chart; do
        run compare x1.csv --label y --learners adam --$option $file --quiet
        expect "compare refuses --$option over its input, named $file" 2 "(--$option $file|$option = '$file').*(is also an input|a file of the data)"
    done
done
check "the input is unchanged by fit and compare" cmp x1.csv x1.kept
run fit x1.csv --label y --trace x1.csv --predictions x1.csv --quiet
expect "fit names every output over its input" 2 "--trace x1.csv" "--predictions x1.csv"
echo 'label = "y"' >settings.toml
run learn x1.csv -c settings.toml --save settings.toml --quiet
expect "learn refuses --save over its settings" 2 "--save settings.toml: is also an input \(config\)"
road_links >net.csv
printf 'from,to,demand\nA,D,5\n' >trips.csv
cp net.csv net.kept
run route net.csv builtin:week,days=1 --decisions net.csv --quiet
expect "route refuses --decisions over the network" 2 "--decisions net.csv: is also an input \(network\)"
run assign net.csv trips.csv --flows net.csv
expect "assign refuses --flows over the network" 2 "--flows net.csv: is also an input"
mkdir week && cp net.csv week/links.csv
run route week/links.csv builtin:week,days=1 --out week --quiet
expect "route refuses a folder where it would replace the network" 2 "is also an input \(network\)"
check "the networks are unchanged" eval 'cmp net.csv net.kept && cmp week/links.csv net.kept'
run "${learn[@]}" --store x.run
cp x.run x.kept
run export x.run --what figures -o x.run
expect "export refuses the store as its output" 2 "--out x.run: is also an input \(run\)"
run report x.run -o x.run
expect "report refuses the store as its output" 2 "--out x.run: is also an input \(run\)"
check "the store is unchanged" cmp x.run x.kept
run "${learn[@]}" --predictions /dev/null --ledger /dev/null
expect "two outputs may be one device" 0

# Standard input and output are files, too, if they are redirected.
stream() { # NAME STATUS PATTERN ARGS...: with x1.csv on standard input
    local name=$1 wanted=$2 pattern=$3
    shift 3
    "$PROXSTREAM" "$@" <x1.csv >out 2>err
    status=$?
    expect "$name" "$wanted" "$pattern"
    check "$name: the input is unchanged" cmp x1.csv x1.kept
}
for option in predictions save certificate ledger metrics report; do
    stream "learn refuses --$option over standard input" 2 "--$option x1.csv: is also an input \(standard input\)" \
        learn --label y --window 8 --quiet --$option x1.csv
done
stream "learn refuses the name of standard input as an output" 2 "--predictions /dev/stdin: is also an input" \
    learn --label y --quiet -p /dev/stdin
stream "fit refuses an output over standard input" 2 "--save x1.csv: is also an input" fit - --label y --quiet --save x1.csv
stream "compare refuses an output over standard input" 2 "--csv x1.csv: is also an input" \
    compare --label y --learners adam --quiet --csv x1.csv
run learn -q x1.csv --label y --window 8 --save small.json
stream "predict refuses an output over standard input" 2 "--predictions x1.csv: is also an input" predict small.json - -p x1.csv
"$PROXSTREAM" predict small.json x1.csv >>x1.csv 2>err
status=$?
expect "predict refuses its rows as standard output" 2 "standard output: is also an input \(data\); nothing was written"
"$PROXSTREAM" predict small.json x1.csv 1<>x1.csv 2>err
status=$?
expect "predict refuses its rows as standard output that is not emptied" 2 "standard output: is also an input"
check "the rows are unchanged" cmp x1.csv x1.kept
"$PROXSTREAM" assign net.csv - --flows trips.csv <trips.csv >out 2>err
status=$?
expect "assign refuses an output over standard input" 2 "--flows trips.csv: is also an input"
run compare x1.csv --label y --learners adam --csv same.svg --chart ./same.svg --quiet
expect "compare refuses two outputs in one file" 2 "(is also the output of --csv|built without charts)"
"$PROXSTREAM" learn x1.csv --label y --window 8 --quiet -p - --save both.json >both.json 2>err
status=$?
expect "an output may not be the file on standard output, if that is written to" 2 "standard output: is also the output of --save"
"$PROXSTREAM" learn --label y --window 8 --quiet --save new.json <x1.csv >log.txt 2>>log.txt
status=$?
expect "standard streams may be other files" 0

# Standard error and standard output that cannot be written.
piped() { # ARGS...: into a reader of one line; $status
    { "$PROXSTREAM" "$@"; echo $? >rc; } | head -n 1 >first
    status=$(<rc)
}
rm -f q.json
{ "$PROXSTREAM" learn x1.csv --label y --save q.json 2>&1; echo $? >rc; } | head -n 1 >first
status=$(<rc)
expect "a reader of messages that goes does not end a run" 0
check "the model is saved without a reader of messages" test -s q.json
rm -f q.json
"$PROXSTREAM" learn x1.csv --label y --save q.json 2>&- >out
status=$?
expect "a closed standard error does not end a run" 0
check "messages do not get into other files" eval '! grep -l "proxstream .* learn" q.json x1.csv'
"$PROXSTREAM" learn nowhere.csv --label y 2>&- >out
status=$?
expect "an error without standard error has its status" 5
for _ in $(seq 40); do tail -n +2 x1.kept; done | cat <(head -n 1 x1.kept) - >long.csv
piped predict small.json long.csv
expect "predict ends with 141 when its reader goes" 141
check "predict prints no error when its reader goes" eval '! grep -q "cannot be written" err'
run learn -q long.csv --label y --window 8 --store long.run
piped export long.run --what figures
expect "export ends with 141 when its reader goes" 141
if [ -e /dev/full ]; then
    "$PROXSTREAM" learn x1.csv --label y --save q.json 2>/dev/full
    status=$?
    expect "a full disk under messages does not end a run" 0
    for verb in "show small.json" "list losses" "--help"; do
        # shellcheck disable=SC2086
        "$PROXSTREAM" $verb >/dev/full 2>err
        status=$?
        expect "$verb reports that its output was not written" 5 "standard output: cannot be written: No space"
    done
fi

# Outputs that cannot be written are refused before the first round.
mkdir folder
for option in predictions save certificate ledger; do
    run "${learn[@]}" --$option "nowhere/file" --store "early.run"
    [ $option = ledger ] && run "${learn[@]}" --ledger nowhere/file
    expect "learn refuses --$option in a missing folder" 5 "nowhere/file: cannot be opened for writing"
    check "--$option in a missing folder ends before the run" test ! -e early.run
    run "${learn[@]}" --$option folder
    expect "learn refuses a folder as --$option" 5 "folder: cannot be opened for writing"
done
run fit x1.csv --label y --save nowhere/file --quiet
expect "fit refuses --save in a missing folder" 5 "nowhere/file: cannot be opened"
run play rps --rounds 10 --report nowhere/file --quiet
expect "play refuses --report in a missing folder" 5 "nowhere/file: cannot be opened"
if [ "$(id -u)" = 0 ]; then
    echo "skip an existing file that cannot be replaced: root may replace all files"
else
    echo kept >locked.json && chmod 444 locked.json
    run "${learn[@]}" --save locked.json
    expect "an existing file that cannot be replaced is refused" 5 "locked.json: cannot be opened for writing"
fi

# Replaced whole at the end; after a kill, the old file.
feed() { # OUTPUT...: starts a run that waits for more rows, as $pid
    mkfifo pipe
    "$PROXSTREAM" learn -d - --label y --window 8 --quiet --predictions p.txt --ledger l.jsonl --metrics m.txt --metrics-every 9 "$@" <pipe 2>"$work/err" &
    pid=$!
    exec 9>pipe
    cat x1.csv >&9
    for _ in $(seq 100); do compgen -G 'l.jsonl.part-*' >/dev/null && break; sleep 0.05; done
    sleep 0.3
}
end() { # SIGNAL: ends it; $status
    kill "-$1" $pid
    wait $pid 2>/dev/null
    status=$?
    exec 9>&-
    rm -f pipe
}
echo old >p.txt
echo old >l.jsonl
echo old >m.txt
chmod 600 p.txt
feed
end KILL
check "after a kill an existing output is untouched" test "$(cat p.txt l.jsonl m.txt | paste -sd' ')" = "old old old"
rm -f ./*.part-*
feed
end INT
check "an interrupted run replaces its outputs" eval 'test "$(wc -l <p.txt)" -gt 1 && test "$(wc -l <l.jsonl)" -gt 2 && test "$(wc -l <m.txt)" -gt 2'
check "a replaced file keeps its permissions" test "$(stat -c %a p.txt)" = 600
check "nothing is left beside the outputs" test -z "$(compgen -G '*.part-*')"
run certify l.jsonl
expect "the ledger of an interrupted run is whole" 0
ln -s p.txt link.txt
run "${learn[@]}" --predictions link.txt
check "an output through a link replaces its target" eval 'test -L link.txt && test "$(wc -l <p.txt)" = 301'
echo old >p.txt
{ cat x1.csv; echo 1,2,x; } >torn.csv
run learn torn.csv --label y --predictions p.txt --quiet
expect "bad data end a run" 3 "torn.csv:302" "p.txt: left as it was"
check "bad data leave existing predictions as they were" test "$(<p.txt)" = old
run learn torn.csv --label y --predictions p.new --quiet
expect "a new file of predictions is named after bad data" 3 "p.new: has the result of the rows before this error"
check "bad data leave the predictions of the rows before in a new file" test "$(wc -l <p.new)" = 301
mkdir rescued
echo old >kept.json
TMPDIR=$work/rescued run learn torn.csv --label y --save kept.json
expect "bad data leave an existing model as it was" 3 "torn.csv:302" "kept.json: left as it was" "rescued/proxstream-model-......\.json: has the model instead"
check "the model of the rows before is beside it" eval 'test "$(<kept.json)" = old && "$PROXSTREAM" predict -q rescued/*.json x1.csv'
check "nothing is left beside the outputs after bad data" test -z "$(compgen -G '*.part-*')"

# A stored run continues its files, so they grow in place.
run learn x1.csv --label y --window 8 --quiet --predictions whole.txt
echo old >split.txt
run "${learn[@]}" --store split.run --predictions split.txt --rounds 100
run resume split.run --rounds 0 --quiet
expect "a stored run continues its predictions" 0
check "continued predictions are those of a whole run" cmp whole.txt split.txt
cp x1.csv rows.csv
run learn rows.csv --label y --window 8 --quiet --store moved.run --predictions out.txt --rounds 100
ln -f rows.csv out.txt
run resume moved.run --rounds 0 --quiet
expect "resume refuses an output that has become an input" 2 "--predictions out.txt: is also an input"
check "resume leaves the input" cmp rows.csv x1.kept

# A model that cannot be saved at the end goes into a file of its own.
mkdir gone temporary
mkfifo pipe
TMPDIR=$work/temporary "$PROXSTREAM" learn -d - --label y --window 8 --quiet --save gone/m.json <pipe 2>"$work/err" &
pid=$!
exec 9>pipe
cat x1.csv >&9
sleep 0.5
rmdir gone
exec 9>&-
wait $pid
status=$?
rm -f pipe
: >"$work/out"
expect "a model that cannot be saved is rescued" 5 "temporary/proxstream-model-......\.json: has the model instead"
check "a rescued model is whole" eval "'$PROXSTREAM' predict temporary/*.json x1.csv --quiet"
