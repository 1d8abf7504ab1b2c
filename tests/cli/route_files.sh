#!/usr/bin/env bash
# The folder of a routing run, also with closures, bad periods and kills.
. "$(dirname "$0")/common.bash"

road_links >"$work/links.csv"
# Two pairs; a closure of one path, a closure of all paths of A->D, events in a line of their own, and a bad period.
awk 'BEGIN {
    srand(4)
    for (t = 1; t <= 60; ++t) {
        if (t == 20) print "{\"period\":\"works\",\"events\":[{\"link\":\"B-D\",\"capacity\":0.5}]}"
        events = ""
        if (t == 10) events = ",\"events\":[{\"link\":\"A-C\",\"close\":true}]"
        if (t == 15) events = ",\"events\":[{\"link\":\"A-C\",\"open\":true}]"
        if (t == 30) events = ",\"events\":[{\"link\":\"A-B\",\"close\":true},{\"link\":\"A-C\",\"close\":true}]"
        if (t == 34) events = ",\"events\":[{\"link\":\"A-B\",\"open\":true},{\"link\":\"A-C\",\"open\":true}]"
        first = t == 40 ? "\"much\"" : 6 + 4 * rand()
        printf "{\"period\":\"t%d\",\"demand\":{\"A->D\":%s,\"B->D\":%s}%s}\n", t, first, 1 + 2 * rand(), events
    }
}' >"$work/demand.jsonl"

run route "$work/links.csv" "$work/demand.jsonl" --on-bad-period hold -w 4 --out "$work/run" --detail all --ledger "$work/run/ledger.jsonl" --decisions "$work/decisions.jsonl"
expect "a run with closures and a bad period ends" 0 'held'
lines() { wc -l <"$work/run/$1"; }
check "periods.csv has a row for each period, the bad one included" test "$(lines periods.csv)" = 61
check "events.csv has events in lines of their own" grep -q '^20,capacity,1,B-D,0.5,' "$work/run/events.csv"
check "an alarm names the pair that is cut off" grep -q 'unroutable,A->D,raised,30,' "$work/run/alarms.csv"
check "an alarm names the bad period" grep -q '"the period could not be used\|the period could not be used' "$work/run/alarms.csv"
check "there is a decision for each period and the next one" awk -F'"period":' 'NF > 1 { split($2, a, ","); seen[a[1]] = 1 } END { n = 0; for (i in seen) ++n; exit n != 61 }' "$work/decisions.jsonl"

mkdir "$work/others"
echo mine >"$work/others/links.csv"
run route "$work/links.csv" "$work/demand.jsonl" --on-bad-period hold -w 4 --out "$work/others"
expect "a file of another program is not overwritten" 2 'links.csv is not from a routing run'
check "a file of another program is unchanged" grep -qx mine "$work/others/links.csv"
if [ -e /dev/full ]; then
    run route "$work/links.csv" "$work/demand.jsonl" --on-bad-period hold -w 4 --decisions /dev/full
    expect "a full disk is an error that names the file" 5 '/dev/full'
fi

# Killed in the middle: whole lines, and every period that is there is complete.
mkfifo "$work/pipe"
"$PROXSTREAM" route "$work/links.csv" - -w 4 --on-bad-period hold --out "$work/killed" --detail all <"$work/pipe" >/dev/null 2>&1 &
pid=$!
exec 3>"$work/pipe"
head -25 "$work/demand.jsonl" >&3
for _ in $(seq 100); do
    [ -e "$work/killed/periods.csv" ] && [ "$(wc -l <"$work/killed/periods.csv")" -ge 20 ] && break
    sleep 0.1
done
kill -9 "$pid"
wait "$pid" 2>/dev/null
exec 3>&-
check "a killed run has whole lines" test -z "$(tail -c 1 "$work/killed/periods.csv")"
check "run.json says that the killed run did not end" grep -q '"finished": *false' "$work/killed/run.json"
run certify "$work/killed/ledger.jsonl"
expect "the ledger of a finished epoch of a killed run is certified" 0
