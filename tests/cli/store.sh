#!/usr/bin/env bash
# Run stores on the command line: begin, stop, go on, read, export, fork; and what can be wrong with them.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

ledger_of() { "$PROXSTREAM" export "$1" --what ledger -o "$1.jsonl"; }
same_ledgers() { ledger_of "$1" && ledger_of "$2" && same_ledger "$1.jsonl" "$2.jsonl"; }

learn=(learn builtin:drift --rounds 600 --window 8 --loss cauchy)

run "${learn[@]}" --store whole.run --quiet
expect "a run in a store" 0
run learn builtin:drift --rounds 600 --window 8 --loss cauchy --ledger plain.jsonl --quiet
expect "the same without one" 0
"$PROXSTREAM" export whole.run >exported.jsonl
check "its ledger is the one a file would have" same_ledger plain.jsonl exported.jsonl
run certify exported.jsonl
expect "which certify reads" 0

run "${learn[@]}" --store whole.run --quiet
expect "a name that is taken is refused with advice" 2 "proxstream resume whole.run"

run resume whole.run
expect "a run that is over, has nothing to go on with" 0 "has come to its end"
run resume whole.run --rounds 700 --quiet
expect "but may go further" 0
run learn builtin:drift --rounds 700 --window 8 --loss cauchy --store longer.run --quiet
check "as if the option had been given at once" same_ledgers whole.run longer.run

# Interrupted by a signal: the rest comes later.
"$PROXSTREAM" learn builtin:drift,rows=200000 --rounds 200000 --window 8 --loss cauchy --store cut.run --quiet &
pid=$!
for _ in $(seq 100); do
    [ -s cut.run ] && [ "$("$PROXSTREAM" show cut.run 2>/dev/null | grep -c ' running, [1-9]')" = 1 ] && break
    sleep 0.05
done
check "a store can be read while its run continues" "$PROXSTREAM" export cut.run --what decisions --last 3 -o first.jsonl
run resume cut.run --quiet
expect "two programs on one store, the second is refused" 2 "another process is writing"
kill -TERM "$pid"
wait "$pid"
check "SIGTERM ends it as interrupted" test $? = 130
turns=$("$PROXSTREAM" show cut.run | sed -n 's/.*stopped, \([0-9]*\) turns.*/\1/p')
check "it reports the stop" test "${turns:-0}" -gt 0
run resume cut.run --rounds $((turns + 50)) --quiet
expect "and continues" 0
run learn builtin:drift,rows=200000 --rounds $((turns + 50)) --window 8 --loss cauchy --store uncut.run --quiet
check "with the same ledger" same_ledgers cut.run uncut.run

run runs .
expect "runs lists them, by name and kind" 0 "whole.run  *learn"
run show whole.run
expect "show, names the settings" 0 "window  *8"
run certify whole.run
expect "certify reads a store, all of its rounds" 0 "over 700 rounds"

for format in jsonl csv npy; do
    run export whole.run --what figures --format $format -o figures.$format
    expect "figures as $format" 0
done
check "a line a turn" test "$(wc -l <figures.jsonl)" = 700
check "and a head in CSV" test "$(head -1 figures.csv | cut -d, -f1-3)" = turn,time,loss
check "NumPy's mark" test "$(head -c 6 figures.npy | tail -c 5)" = NUMPY
check "and its size" test $((($(wc -c <figures.npy) - 128) % 8)) = 0
run export whole.run --what decisions --format npy
expect "decisions are no numbers" 2
run export whole.run --what ledgers
expect "a typo lists the known names" 2 "ledger, decisions, figures, inputs"

run fork whole.run copy.run
expect "a fork" 0
run resume copy.run --rounds 750 --quiet
run resume whole.run --rounds 750 --quiet
check "continues like its parent" same_ledgers whole.run copy.run
run fork whole.run tight.run --tolerance 0.01
expect "a fork with another tolerance, begins with all of its state" 0 "with all of its state"
run resume tight.run --rounds 20 --quiet
expect "and plays on" 0
run fork whole.run short.run --window 3
expect "another window begins at the point" "$status" "at its point"
run fork whole.run other.run --loss huber:1
expect "another loss is another problem" 2
run fork whole.run whole.run --tolerance 0.01
expect "a fork needs a name of its own" 2

# Kept short: the certificate does not change.
run learn builtin:drift --rounds 5000 --window 8 --loss cauchy --store kept.run --keep 100 --durable 50 --quiet
run learn builtin:drift --rounds 5000 --window 8 --loss cauchy --store all.run --quiet
"$PROXSTREAM" certify --json kept.run | sed 's/"seconds":[^,}]*//' >kept.json
"$PROXSTREAM" certify --json all.run | sed 's/"seconds":[^,}]*//' >all.json
check "folded rounds leave the certificate as it was" cmp kept.json all.json
check "but not the size" test "$(wc -c <kept.run)" -lt $(($(wc -c <all.run) / 2))
run show kept.run
expect "show names the first turn" "$status" "turns from .* on"

# Damage.
cp whole.run torn.run
truncate -s 60000 torn.run
for verb in show certify resume "export --what figures" report; do
    # shellcheck disable=SC2086
    run ${verb%% *} torn.run $([ "$verb" = "${verb#* }" ] || echo "${verb#* }")
    check "a store that is cut is refused by ${verb%% *}" test "$status" -gt 0
    expect "and named" "$status" "torn.run"
done
echo 'a,b' >table.csv
run show table.csv
expect "a table is refused as a store" 3 "table.csv"
run show nowhere.run
expect "a file that is not there" 5
run learn builtin:drift --store x.run --durable often --keep 5w
expect "wrong words, all of them, at once" 2 "durable = 'often'" "keep = '5w'"
run learn builtin:drift --store x.run --ledger x.jsonl
expect "a store has its own ledger" "$status" "proxstream export"
check "nothing was made" test ! -e x.run
