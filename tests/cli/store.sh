#!/usr/bin/env bash
# Run stores on the command line: start, stop, resume, read, export, fork; and damaged stores.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

ledger_of() { "$PROXSTREAM" export "$1" --what ledger -o "$1.jsonl"; }
same_ledgers() { ledger_of "$1" && ledger_of "$2" && same_ledger "$1.jsonl" "$2.jsonl"; }

learn=(learn builtin:drift --rounds 600 --window 8 --loss cauchy)

run "${learn[@]}" --store whole.run --quiet
expect "learn stores a run" 0
run learn builtin:drift --rounds 600 --window 8 --loss cauchy --ledger plain.jsonl --quiet
expect "the same run without a store ends" 0
"$PROXSTREAM" export whole.run >exported.jsonl
check "the stored ledger equals the ledger in a file" same_ledger plain.jsonl exported.jsonl
run certify exported.jsonl
expect "certify reads an exported ledger" 0

run "${learn[@]}" --store whole.run --quiet
expect "an existing store is refused with advice" 2 "proxstream resume whole.run"

run resume whole.run
expect "resuming a finished run says so" 0 "has come to its end"
run resume whole.run --rounds 700 --quiet
expect "a finished run continues with more rounds" 0
run learn builtin:drift --rounds 700 --window 8 --loss cauchy --store longer.run --quiet
check "a continued run equals one that was longer from the start" same_ledgers whole.run longer.run

# Interrupted by a signal and resumed.
"$PROXSTREAM" learn builtin:drift,rows=200000 --rounds 200000 --window 8 --loss cauchy --store cut.run --quiet &
pid=$!
for _ in $(seq 100); do
    [ -s cut.run ] && [ "$("$PROXSTREAM" show cut.run 2>/dev/null | grep -c ' running, [1-9]')" = 1 ] && break
    sleep 0.05
done
check "a store can be read while its run continues" "$PROXSTREAM" export cut.run --what decisions --last 3 -o first.jsonl
run resume cut.run --quiet
expect "a second program on one store is refused" 2 "another process is writing"
kill -TERM "$pid"
wait "$pid"
check "SIGTERM ends a run as interrupted" test $? = 130
turns=$("$PROXSTREAM" show cut.run | sed -n 's/.*stopped, \([0-9]*\) turns.*/\1/p')
check "show reports the stop" test "${turns:-0}" -gt 0
run resume cut.run --rounds $((turns + 50)) --quiet
expect "a stopped run resumes" 0
run learn builtin:drift,rows=200000 --rounds $((turns + 50)) --window 8 --loss cauchy --store uncut.run --quiet
check "a stopped run ends with the ledger of an unbroken one" same_ledgers cut.run uncut.run

run runs .
expect "runs lists stores by name and kind" 0 "whole.run  *learn"
run show whole.run
expect "show names the settings" 0 "window  *8"
run certify whole.run
expect "certify reads all rounds of a store" 0 "over 700 rounds"

for format in jsonl csv npy; do
    run export whole.run --what figures --format $format -o figures.$format
    expect "figures are exported as $format" 0
done
check "exported JSON lines have a line for each turn" test "$(wc -l <figures.jsonl)" = 700
check "exported CSV has a header" test "$(head -1 figures.csv | cut -d, -f1-3)" = turn,time,loss
check "an exported NumPy file has its signature" test "$(head -c 6 figures.npy | tail -c 5)" = NUMPY
check "an exported NumPy file has whole rows" test $((($(wc -c <figures.npy) - 128) % 8)) = 0
run export whole.run --what decisions --format npy
expect "decisions cannot be exported as NumPy arrays" 2
run export whole.run --what ledgers
expect "a typo lists the known names of --what" 2 "ledger, decisions, figures, inputs"

run fork whole.run copy.run
expect "fork copies a run" 0
run resume copy.run --rounds 750 --quiet
run resume whole.run --rounds 750 --quiet
check "a copy continues like its parent" same_ledgers whole.run copy.run
run fork whole.run tight.run --tolerance 0.01
expect "a fork with another tolerance keeps the whole state" 0 "with all of its state"
run resume tight.run --rounds 20 --quiet
expect "a fork with another tolerance runs" 0
run fork whole.run short.run --window 3
expect "a fork with another window keeps only the point" "$status" "at its point"
run fork whole.run other.run --loss huber:1
expect "a fork with another loss is refused" 2
run fork whole.run whole.run --tolerance 0.01
expect "a fork under an existing name is refused" 2

# Folded turns leave the certificate unchanged.
run learn builtin:drift --rounds 5000 --window 8 --loss cauchy --store kept.run --keep 100 --durable 50 --quiet
run learn builtin:drift --rounds 5000 --window 8 --loss cauchy --store all.run --quiet
"$PROXSTREAM" certify --json kept.run | sed 's/"seconds":[^,}]*//' >kept.json
"$PROXSTREAM" certify --json all.run | sed 's/"seconds":[^,}]*//' >all.json
check "folding leaves the certificate unchanged" cmp kept.json all.json
check "folding makes the store smaller" test "$(wc -c <kept.run)" -lt $(($(wc -c <all.run) / 2))
run show kept.run
expect "show names the first stored turn" "$status" "turns from .* on"

# Damage.
cp whole.run torn.run
truncate -s 60000 torn.run
for verb in show certify resume "export --what figures" report; do
    # shellcheck disable=SC2086
    run ${verb%% *} torn.run $([ "$verb" = "${verb#* }" ] || echo "${verb#* }")
    check "${verb%% *} refuses a cut store" test "$status" -gt 0
    expect "${verb%% *} names the damaged store" "$status" "torn.run"
done
echo 'a,b' >table.csv
run show table.csv
expect "a CSV file is refused as a store" 3 "table.csv"
run show nowhere.run
expect "a missing store is refused" 5
run learn builtin:drift --store x.run --durable often --keep 5w
expect "all wrong options are reported at once" 2 "durable = 'often'" "keep = '5w'"
run learn builtin:drift --store x.run --ledger x.jsonl
expect "--ledger beside --store names proxstream export" "$status" "proxstream export"
check "a refused run makes no file" test ! -e x.run
