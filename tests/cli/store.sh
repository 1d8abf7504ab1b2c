#!/usr/bin/env bash
# Run stores on the command line: start, stop, resume, read, export, fork; and damaged stores.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

ledger_of() { "$PROXSTREAM" export "$1" --what ledger -o "$1.jsonl"; }
same_ledgers() { ledger_of "$1" && ledger_of "$2" && same_ledger "$1.jsonl" "$2.jsonl"; }

learn=(learn builtin:drift --rounds 600 --window 8 --loss cauchy --keep all)

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
run learn builtin:drift --rounds 700 --window 8 --loss cauchy --store longer.run --keep all --quiet
check "a continued run equals one that was longer from the start" same_ledgers whole.run longer.run

# Interrupted by a signal and resumed.
"$PROXSTREAM" learn builtin:drift,rows=200000 --rounds 200000 --window 8 --loss cauchy --store cut.run --keep all --quiet &
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
run learn builtin:drift,rows=200000 --rounds $((turns + 50)) --window 8 --loss cauchy --store uncut.run --keep all --quiet
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
run learn builtin:drift,rows=6000 --rounds 5000 --window 8 --loss cauchy --store kept.run --keep 100 --durable 50 --quiet
run learn builtin:drift,rows=6000 --rounds 5000 --window 8 --loss cauchy --store all.run --keep all --quiet
"$PROXSTREAM" certify --json kept.run | sed 's/"seconds":[^,}]*//' >kept.json
"$PROXSTREAM" certify --json all.run | sed 's/"seconds":[^,}]*//' >all.json
check "folding leaves the certificate unchanged" cmp kept.json all.json
check "folding makes the store smaller" test "$(wc -c <kept.run)" -lt $(($(wc -c <all.run) / 2))
run show kept.run
expect "show names the first stored turn" "$status" "turns from .* on"
run export kept.run
expect "export says which rows it does not have" 0 "kept.run: [0-9]+ of 5000 ledger rows are kept as sums only" "others are exported"

# By default ledger rows become sums.
run learn builtin:drift,rows=6000 --rounds 3000 --window 8 --loss cauchy --store sums.run --quiet
run resume sums.run --rounds 5000 --quiet
expect "a run with sums resumes" 0
"$PROXSTREAM" certify --json sums.run | sed 's/"seconds":[^,}]*//' >sums.json
check "the certificate of sums is that of the rows" cmp sums.json all.json
for what in decisions figures; do
    for store in sums all; do "$PROXSTREAM" export $store.run --what $what | sed -E 's/"(seconds|time)":[^,}]*,?//g' >$store.$what; done
    check "a run with sums has all $what" cmp sums.$what all.$what
done
run show sums.run
expect "show says what is kept" 0 "decisions and figures of all turns; 5000 ledger rows are kept as sums"
run export sums.run -o nothing.jsonl
expect "export without ledger rows says what there is" 2 "5000 of 5000 ledger rows are kept as sums only" "proxstream certify sums.run" "--what figures" "--keep all"
check "a refused export makes no file" test ! -e nothing.jsonl
run fork sums.run sums2.run --tolerance 0.01
expect "a run with sums is forked" 0 "with all of its state"
run resume sums2.run --rounds 50 --quiet
run certify sums2.run
expect "a fork of a run with sums is certified" 0 "over 50 rounds"
run resume sums.run --rounds 5200 --keep all --quiet
run export sums.run
expect "rows are kept from now on" 0 "5000 of 5200 ledger rows"
check "the rows from now on are exported" test "$(grep -c '^{"t":' "$work/out")" = 200
run learn builtin:drift,rows=6000 --rounds 5200 --window 8 --loss cauchy --store all2.run --keep all --quiet
for store in sums all2; do "$PROXSTREAM" certify --json $store.run | sed 's/"seconds":[^,}]*//' >$store.json; done
check "rows after sums give the same certificate" cmp sums.json all2.json

# By default a store has at most ten times the size of its rows, log included, while it runs and after a kill.
rows_of() { # FEATURES
    awk -v n="$1" 'BEGIN { srand(3); for (j = 1; j <= n; ++j) printf "x%d,", j; print "y"
        for (i = 0; i < 4000; ++i) { s = 0
            for (j = 1; j <= n; ++j) { v = 2 * rand() - 1; if (j < 4) s += v; printf "%.5f,", v }
            printf "%.5f\n", s + i / 2000 + rand() / 5 } }'
}
bytes_of() { cat "$1" "$1"-wal 2>/dev/null | wc -c; }
for features in 10 100; do
    rows_of $features >rows$features.csv
    most=$((10 * $(wc -c <rows$features.csv)))
    for window in auto 64; do
        name="$features features, window $window"
        small=(learn rows$features.csv --label y --window $window --quiet --store small.run)
        rm -f small.run*
        run "${small[@]}"
        expect "$name: a run is stored" 0
        check "$name: the store is at most ten times its rows" test "$(bytes_of small.run)" -le $most
        rm -f small.run*
        "$PROXSTREAM" "${small[@]}" >"$work/out" 2>&1 &
        pid=$!
        largest=0
        while kill -0 "$pid" 2>/dev/null; do
            now=$(bytes_of small.run)
            [ "$now" -le $largest ] || largest=$now
            sleep 0.02
        done
        wait "$pid"
        check "$name: it is while it runs, its log included" test $largest -gt 0 -a $largest -le $most
    done
done

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
