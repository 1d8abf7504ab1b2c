#!/usr/bin/env bash
# Messages about bad input name the place and what was expected; results learned before are kept.
. "$(dirname "$0")/common.bash"

export TMPDIR=$work
good() { awk 'BEGIN { print "a,b,y"; for (i = 1; i <= 20; ++i) print i/20 "," (i%3)/3 "," (i%2) }'; }
good >"$work/skip0.csv"
learn_csv() { run learn "$1" --label y --loss logistic -f "$work/m.json" "${@:2}"; }

{ good; echo '1,,1'; } >"$work/missing.csv"
learn_csv "$work/missing.csv" --missing stop
expect "a missing field is refused" 3 'missing.csv:22, column 2 \(b\)' 'expected'
check "the model of the rows before the bad one is saved" grep -q '"rounds": 20' "$work/m.json"
{ good; echo '1,x7,1'; } >"$work/text.csv"
learn_csv "$work/text.csv"
expect "a field that is not a number is refused" 3 'text.csv:22, column 2 \(b\).*x7'
{ good; echo '1,nan,1'; } >"$work/nan.csv"
learn_csv "$work/nan.csv" --missing stop
expect "a NaN in a row is refused" 3 'nan.csv:22, column 2 \(b\)'
{ good; echo '1,2'; echo '1,2,1,4'; } >"$work/count.csv"
learn_csv "$work/count.csv"
expect "a row with too few columns is refused" 3 'count.csv:22.*2.*3'
{ good; echo '1,2,7'; } >"$work/label.csv"
learn_csv "$work/label.csv"
expect "an unknown label is refused" 3 'label.csv:22, column 3 \(y\)' '7'
: >"$work/empty.csv"
learn_csv "$work/empty.csv"
expect "an empty file is refused" 3 'empty.csv'
echo 'a,b,y' >"$work/header.csv"
learn_csv "$work/header.csv"
expect "a header without rows is refused" 3 'no rows'
head -c 4000 "$PROXSTREAM" >"$work/binary.csv"
learn_csv "$work/binary.csv" --format csv
expect "a binary file is refused" 3 'binary'
{ good; head -c 70000000 /dev/zero | tr '\0' 1; } >"$work/long.csv"
learn_csv "$work/long.csv"
expect "an overlong line is refused" 3 'long.csv:22' 'longer'
rm "$work/long.csv"
good | gzip | head -c 60 >"$work/torn.gz"
learn_csv "$work/torn.gz"
expect "a torn gzip file is refused" 3 'torn.gz'
learn_csv "$work/absent.csv"
expect "a missing file is refused" 5 'absent.csv.*No such file'
learn_csv "$work"
expect "a folder in place of a file is refused" 5 'directory'
{ good; echo '1,"0,5",1'; } >"$work/comma.csv"
learn_csv "$work/comma.csv"
expect "a decimal comma is named" 3 "comma.csv:22, column 2 \(b\): '0,5' is not a number; expected a finite number with a decimal point"
{ good; echo '1,-,1'; } >"$work/sign.csv"
learn_csv "$work/sign.csv"
expect "a sign alone is not a number" 3 "'-' is not a number"
sed 's/,/|/g' "$work/skip0.csv" >"$work/bars.csv"
learn_csv "$work/bars.csv"
expect "a file whose delimiter is not found names --delimiter" 3 "cannot tell the format" "--delimiter '\|'"
learn_csv "$work/bars.csv" --delimiter '|'
expect "bars delimit fields" 0 '20 rows'
sed 's/,/  /g' "$work/skip0.csv" >"$work/blanks.csv"
learn_csv "$work/blanks.csv" --delimiter space
expect "blanks delimit fields" 0 '20 rows'
{ good; echo '1,x,1'; echo '1,2,9'; echo '.5,.5,1'; } >"$work/skip.csv"
learn_csv "$work/skip.csv" --on-bad-row skip
expect "bad rows are skipped and counted" 0 '21 rows' 'bad rows skipped: 2' 'skip.csv:23'
{ good; echo '1,2,UP'; } | sed '2,21s/,1$/,UP/; 2,21s/,0$/,DOWN/' >"$work/named.csv"
learn_csv "$work/named.csv"
expect "text labels ask for --classes" 3 'classes'
learn_csv "$work/named.csv" --classes DOWN,UP
expect "named classes are learned" 0 '21 rows'

{ good; echo '1e200,1,1'; echo '.5,.5,1'; } >"$work/huge.csv"
run learn "$work/huge.csv" --raw --label y --loss squared --step 0.1 -f "$work/m.json" --ledger "$work/l.jsonl"
expect "a loss that overflows refuses the round" 4 'huge.csv:22.*refused' 'rounds refused .*: 1$'
check "a refused round leaves the model of the rounds before it" grep -q '"rounds": 20' "$work/m.json"
run certify "$work/l.jsonl"
expect "the ledger of a run with a refused round verifies" 0
run learn "$work/huge.csv" --raw --label y --loss squared --step 0.1 --on-bad-row skip
expect "with --on-bad-row skip a refused round does not end the run" 4 '21 rounds' 'refused because the loss was not finite: 1'

good >"$work/good.csv"
if [ -e /dev/full ]; then
    learn_csv "$work/good.csv" -p /dev/full
    expect "a full disk under the predictions is an error" 5 '/dev/full.*No space' 'certificate +[0-9]+ of'
    check "the model is saved in spite of a full disk" grep -q proxstream-model "$work/m.json"
    learn_csv "$work/good.csv" --ledger /dev/full
    expect "a full disk under the ledger is found before the first round" 5 '/dev/full.*No space'
else
    echo "skip full disk: there is no /dev/full here"
fi
learn_csv "$work/good.csv" -p "$work/no/such/folder/p"
expect "an output that cannot be opened is refused" 5 'No such file'

# An interrupted live stream ends like a finished one.
mkfifo "$work/live"
{ good; sleep 20; } >"$work/live" &
feeder=$!
"$PROXSTREAM" learn --label y --loss logistic --step 0.1 --survey 1 -f "$work/int.json" --ledger "$work/int.jsonl" \
    <"$work/live" >"$work/out" 2>"$work/err" &
job=$!
for _ in $(seq 200); do grep -q '^ *16 ' "$work/err" && break; sleep 0.1; done
kill -INT $job
wait $job
status=$?
kill $feeder 2>/dev/null
out=$(<"$work/out") err=$(<"$work/err")
expect "SIGINT ends with footer and certificate" 130 '20 rows in 20 rounds' 'interrupted' 'certificate +[0-9]+ of'
check "SIGINT saves the model" grep -q '"rounds": 20' "$work/int.json"
run certify "$work/int.jsonl"
expect "SIGINT leaves a complete ledger" 0

# A ledger that was changed does not certify.
run learn -q "$work/good.csv" --label y --loss logistic --ledger "$work/t.jsonl"
sed '5s/"R":[0-9.e-]*/"R":0.5/' "$work/t.jsonl" >"$work/tampered.jsonl"
run certify "$work/tampered.jsonl"
expect "a tampered ledger is detected" 1 'tampered.jsonl:5'
head -n 10 "$work/t.jsonl" >"$work/cut.jsonl"
run certify "$work/cut.jsonl"
expect "a truncated ledger is detected" 1 'cut.jsonl' 'last whole round is 9'
head -c 2000 "$work/t.jsonl" >"$work/torn.jsonl"
run certify "$work/torn.jsonl"
expect "a torn ledger is detected" 1 'torn.jsonl'
run certify "$work/good.csv"
expect "a file that is not a ledger is refused" 1 'good.csv:1'
run certify
expect "certify without a ledger is refused" 2 'expected a ledger or a run store'
