#!/usr/bin/env bash
# route: decisions before demand, rivals on the same periods, and good and bad feeds.
. "$(dirname "$0")/common.bash"

# E leads into the network and no link leads to it.
{
    road_links
    echo "E,A,9,1,0.15,4"
} >"$work/links.csv"
links=$work/links.csv
awk 'BEGIN {
    srand(7)
    for (t = 1; t <= 40; ++t) {
        events = ""
        if (t == 12) events = ",\"events\":[{\"link\":\"B-D\",\"capacity\":0.4,\"text\":\"works\"}]"
        if (t == 20) events = ",\"events\":[{\"link\":\"A-C\",\"close\":true}]"
        if (t == 25) events = ",\"events\":[{\"link\":\"A-C\",\"open\":true},{\"link\":\"B-D\",\"capacity\":1}]"
        printf "{\"period\":\"t%d\",\"demand\":{\"A->D\":%.6g,\"B->D\":%.6g}%s}\n", t, 6 + 4 * rand(), 1 + 2 * rand(), events
    }
}' >"$work/demand.jsonl"
awk 'BEGIN { srand(9); print "period,A->D,B->D"; for (t = 1; t <= 30; ++t) printf "t%d,%.6g,%.6g\n", t, 6 + 4 * rand(), 1 + 2 * rand() }' >"$work/demand.csv"

run route "$links" "$work/demand.jsonl" -w 4 --out "$work/week" --detail all --decisions "$work/week.jsonl"
expect "route ends with table and certificate" 0 '40 periods in' '4 events' 'total cost +/ bound +churn' 'certificate of 4 epochs, 40 rounds' 'all are sound'
expect "route describes network and demand" 0 'links.csv: 5 nodes, 7 links' '2 pairs' 'utilisation B-D: utilisation .*, above 0.9'
run certify "$work/week/ledger.jsonl"
expect "the ledger of the first epoch is certified again" 0 'Certificate of'
run certify "$work/week"
expect "certify of a folder names the ledgers in it" 2 'week is a folder; expected a ledger or a run store, for example .*week/ledger.jsonl .*week/ledger-2.jsonl'
for method in 'window of 4' 'window of 1' 'window of 16' 'window of 64' 'adagrad:step=1,replay=16' 're-solve last demand' \
    're-solve mean of last 4' 're-solve mean of last 64' 'static, mean demand in hindsight' 'shortest paths' 'clairvoyant'; do
    check "the table has $method" grep -qF "$method" "$work/week/methods.csv"
done
# From the right: a label may have commas.
bound_is_lowest() {
    awk -F, 'NR > 1 { cost = $(NF - 9); if ($NF == "lower_bound") bound = cost; else if (!least || cost < least) least = cost; ++n }
             END { exit !(n == 11 && bound > 0 && bound <= least) }' "$1"
}
check "no method is cheaper than the clairvoyant" bound_is_lowest "$work/week/methods.csv"
# The last decision of each period uses no path along a closed link.
heeds_closure() {
    awk -F'"period":' '{ split($2, number, ","); last[number[1] + 0] = $0; if (number[1] + 0 > n) n = number[1] + 0 }
                       END { for (t = 20; t < 25; ++t) if (last[t] ~ /"A-C"/) exit 1
                             exit !(n == 41 && last[19] ~ /"A-C"/) }' "$1"
}
check "decisions avoid a closed link and cover the next period" heeds_closure "$work/week.jsonl"

# Threads, pipes and gzip change no decision.
same_decisions() {
    local name=$1
    shift
    "$PROXSTREAM" route "$links" "$@" -q -w 4 --decisions "$work/other.jsonl" </dev/null >"$work/out" 2>"$work/err"
    check "$name" cmp "$work/base.jsonl" "$work/other.jsonl"
}
run route "$links" "$work/demand.csv" -q -w 4 --decisions "$work/base.jsonl"
check "30 periods have 31 decisions" test "$(wc -l <"$work/base.jsonl")" = 31
same_decisions "two threads decide as one does" "$work/demand.csv" --threads 2
same_decisions "rivals change no decision" "$work/demand.csv" --no-compare --no-clairvoyant
gzip -c "$work/demand.csv" >"$work/demand.gz"
same_decisions "gzip is read as it is" "$work/demand.gz"
"$PROXSTREAM" route "$links" - -q -w 4 --decisions - <"$work/demand.csv" >"$work/other.jsonl"
check "a pipe gives the same decisions as a file" cmp "$work/base.jsonl" "$work/other.jsonl"
run route "$links" "$work/demand.csv" -w 4 --mu 0.5
expect "the removed --mu names its replacements" 2 '--mu was removed: .*--path-price'

# Live: the splits for a period are written before its demand arrives.
mkfifo "$work/feed" "$work/answers"
"$PROXSTREAM" route "$links" - -q -w 4 --decisions - <"$work/feed" >"$work/answers" 2>"$work/err" &
job=$!
exec 5>"$work/feed" 6<"$work/answers"
feed_live() {
    local answer t
    head -1 "$work/demand.csv" >&5
    for t in 1 2 3 4 5; do
        read -r -t 20 -u 6 answer || { echo "no decision for period $t before its demand"; return 1; }
        [[ $answer == "{\"period\":$t,"* ]] || { echo "expected period $t: $answer"; return 1; }
        [ "$answer" = "$(sed -n "${t}p" "$work/base.jsonl")" ] || { echo "not that of the file: $answer"; return 1; }
        sed -n "$((t + 1))p" "$work/demand.csv" >&5
    done
    return 0
}
check "a live feed gets a decision for each line" feed_live
exec 5>&-
wait $job
check "the end of a live feed ends the run" test $? = 0
exec 6<&-

# The start: a demand that is expected, and a feed that begins with nothing.
head -2 "$work/demand.csv" >"$work/first.csv"
run route "$links" "$work/demand.csv" -w 4 --rivals re-solve-last --progress 1 --first-demand "$work/first.csv"
expect "--first-demand is solved before the first period" 0 '^ +1 t1 .* 1\.000 '
run route "$links" "$work/demand.csv" --selection men
expect "an unknown selection is refused" 2 "unknown selection 'men'; did you mean 'mean'"
run route "$links" "$work/demand.csv" --selection draw
expect "--selection draw runs" 0 'selection draw'
echo 't,-1,2' >>"$work/first.csv"
sed -i 2d "$work/first.csv"
run route "$links" "$work/demand.csv" -w 4 --first-demand "$work/first.csv"
expect "an unusable --first-demand is refused" 3 'first.csv:2, column 2 \(A->D\): .-1. is negative'
run route "$links" "$work/demand.csv" -w 4 --first-demand "$work/absent.csv"
expect "a missing --first-demand is refused" 5 'absent.csv.*No such file'
run route "$links" "$work/demand.csv" -w 4 --first-demand -
expect "--first-demand from a pipe is refused" 2 'first-demand: give a file'
{ head -1 "$work/demand.csv"; echo 'e1,0,0'; echo 'e2,0,0'; tail -n +2 "$work/demand.csv"; } >"$work/silent.csv"
run route "$links" "$work/silent.csv" -w 4 --out "$work/silent" --decisions "$work/silent.jsonl"
expect "periods without demand at the start are accepted" 0 '32 periods in' 'Certificate of 30 rounds|certificate of 1 epoch, 30 rounds'
check "periods without demand are in periods.csv" test "$(grep -c ',waiting,' "$work/silent/periods.csv")" = 2
same_splits() {
    cmp <(sed 's/.*"splits"//' "$work/base.jsonl") <(tail -n +3 "$work/silent.jsonl" | sed 's/.*"splits"//')
}
check "periods without demand change no decision" same_splits
run certify "$work/silent/ledger.jsonl"
expect "the ledger of such a run has the periods with demand" 0 'Certificate of 30 rounds'

# Bad periods: named with file, line and field, or held.
# bad NAME LINE PATTERN: the line, in place of the sixth period, cannot be used.
bad() {
    local file=$work/bad.csv
    { sed -n 1,6p "$work/demand.csv"; echo "$2"; sed -n 8,10p "$work/demand.csv"; } >"$file"
    run route "$links" "$file" -w 4 --out "$work/bad"
    expect "$1 stops the run" 3 "bad.csv:7$3" '5 periods in' 'certificate of|Certificate of'
    run route "$links" "$file" -w 4 --out "$work/bad" --on-bad-period hold --decisions "$work/bad.jsonl"
    expect "$1 is held" 0 "bad.csv:7$3.*held" '9 periods in .*1 of them held' '6 ! stale feed'
    check "$1 keeps the splits" test "$(sed -n '6s/.*splits//p' "$work/bad.jsonl")" = "$(sed -n '7s/.*splits//p' "$work/bad.jsonl")"
    run certify "$work/bad/ledger.jsonl"
    expect "$1 leaves a sound ledger" 0
}
bad "NaN" 't6,NaN,1' ', column 2 \(A->D\): .NaN. is not a number'
bad "negative demand" 't6,1,-2' ', column 3 \(B->D\): .-2. is negative'
bad "a period of the wrong size" 't6,1' ': the row has 2 values; expected 3'
bad "a duplicate period" 't3,1,2' ' \(period\): the period .t3. occurred before'
bad "a demand beyond all costs" 't6,1e140,1' ' \(demand\): .*not a finite number'

# bad_json NAME LINE PATTERN: likewise, for what only JSON lines can say.
bad_json() {
    { sed -n 1,5p "$work/demand.jsonl"; echo "$2"; sed -n 6,9p "$work/demand.jsonl"; } >"$work/bad.jsonl"
    run route "$links" "$work/bad.jsonl" -w 4
    expect "$1 stops the run" 3 "bad.jsonl:6$3"
    run route "$links" "$work/bad.jsonl" -w 4 --on-bad-period hold
    expect "$1 is held" 0 "bad.jsonl:6$3.*held" '10 periods in .*1 of them held'
}
bad_json "an unknown node" '{"period":"x","demand":{"A->Q":1}}' ' \(demand.A->Q\): .*not a pair of nodes'
bad_json "an unreachable pair" '{"period":"x","demand":{"A->E":1}}' ' \(A->E\): there is demand 1, and no path'
bad_json "a matrix of the wrong size" '{"period":"x","demand":[1,2,3]}' ' \(demand\): the matrix has 3 rows; expected 5'
bad_json "NaN in JSON" '{"period":"x","demand":{"A->D":NaN}}' ': this is not valid JSON, from byte'
bad_json "a line that was cut" '{"period":"x","demand":{"A->D":1' ': this is not valid JSON'
bad_json "an unknown link" '{"period":"x","events":[{"link":"Q-R","close":true}]}' ' \(events\[0\].link\): .*is not a link'
bad_json "a negative capacity" '{"period":"x","events":[{"link":"A-B","capacity":-1}]}' ' \(events\[0\].capacity\): .-1. is negative'

# Files that are something else.
sed 's/^A,C,8/A,C,-8/' "$links" >"$work/negative.csv"
run route "$work/negative.csv" "$work/demand.csv"
expect "a negative capacity is refused" 3 'negative.csv:4.*capacity'
run route "$work/demand.csv" "$work/demand.csv"
expect "demand in place of a network is refused" 3 'demand.csv:1: .*is not the beginning of a known format'
run route "$links" "$links"
expect "a network in place of demand is refused" 3 'links.csv:1, column 1: .from. is not a pair of nodes'
head -c 4000 "$PROXSTREAM" >"$work/binary"
run route "$work/binary" "$work/demand.csv"
expect "a binary network is refused" 3 'binary:1'
run route "$links" "$work/binary"
expect "binary demand is refused" 3 'binary:1: looks like a binary file'
head -c 100 "$work/demand.gz" >"$work/torn.gz"
run route "$links" "$work/torn.gz" --on-bad-period hold
expect "a torn gzip file ends the run under every policy" 3 'torn.gz: the gzip data ends in the middle'
: >"$work/empty.csv"
run route "$links" "$work/empty.csv"
expect "empty demand is refused" 3 'empty.csv.*empty'
head -1 "$work/demand.csv" >"$work/head.csv"
run route "$links" "$work/head.csv"
expect "demand without a period is refused" 3 'head.csv:1: there is no period'
run route "$work/absent.csv" "$work/demand.csv"
expect "a missing network is refused" 5 'absent.csv.*No such file'
run route "$links" "$work/absent.csv"
expect "missing demand is refused" 5 'absent.csv.*No such file'
run route "$links"
expect "route without demand is refused" 2 'demand: give a file'

run route "$links" "$work/demand.csv" --widnow=3
expect "an unknown option has the nearest name" 2 "unknown option '--widnow=?3?'; did you mean '--window'"
run route "$links" "$work/demand.csv" --objective sytem --cost brp --inner newton --tolerance -1 --paths 0 --learner sdg \
    --rivals 'statik; re-solve-lst' --clear-utilisation 2
expect "all violations are reported at once" 2 "did you mean 'system'" "did you mean 'bpr'" "unknown inner solver 'newton'" 'tolerance = -1' \
    'paths = 0: must lie in' "unknown learner 'sdg'" "did you mean 'static'" "did you mean 're-solve-last'" 'clear-utilisation'
run route "$links" "$work/demand.csv" --learner static
expect "a rival is refused as a learner" 2 "learner: unknown learner 'static'"
for listing in 'costs:bpr:polynomial:queue:davidson:s-shape' 'objectives:system:user:delay:utilisation:unweighted' \
    'rivals:static:shortest:re-solve-last:re-solve-mean' 'networks:ring:grid:mesh:week:bursts'; do
    IFS=: read -ra words <<<"$listing"
    run list "${words[0]}"
    expect "list ${words[0]}" 0 "${words[@]:1}"
done

# Interrupted and killed. live SIGNAL FOLDER: ends a run that has played 13 periods and waits for more.
live() {
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    "$PROXSTREAM" route "$links" - -w 4 --out "$2" --detail all --decisions "$2.jsonl" <"$work/pipe" >"$work/out" 2>"$work/err" &
    job=$!
    exec 7>"$work/pipe"
    head -13 "$work/demand.jsonl" >&7
    for _ in $(seq 200); do
        [ -e "$2/periods.csv" ] && [ "$(wc -l <"$2/periods.csv")" -ge 14 ] && break
        sleep 0.05
    done
    kill "-$1" $job
    wait $job 2>/dev/null
    status=$?
    exec 7>&-
    out=$(<"$work/out") err=$(<"$work/err")
}
live INT "$work/interrupted"
expect "SIGINT ends with table and certificate" 130 '13 periods in .*interrupted' 'certificate of 2 epochs, 13 rounds'
run certify "$work/interrupted/ledger-2.jsonl"
expect "SIGINT leaves a complete ledger" 0 'Certificate of'
live KILL "$work/killed"
check "SIGKILL kills" test $status = 137
whole_lines() {
    local file
    for file in "$@"; do [ -z "$(tail -c 1 "$file")" ] || { echo "$file ends in the middle of a line"; return 1; }; done
    return 0
}
check "SIGKILL leaves whole lines" whole_lines "$work/killed"/* "$work/killed.jsonl"
check "run.json says that the killed run did not end" grep -q '"finished": *false' "$work/killed/run.json"
run certify "$work/killed/ledger-2.jsonl"
expect "certify names what a killed run lacks" 1 'ledger-2.jsonl:.*no footer; its last whole round is 2'

# Places that cannot be written.
run route "$links" "$work/demand.csv" -q --no-compare --report "$work/report.html"
if [ $status = 2 ] && grep -q 'built without the report page' "$work/err"; then
    echo "skip report: this program was built without the report page"
else
    expect "a report is written" 0
    check "the report needs no other file" awk '/<!doctype html>/ || /<!DOCTYPE html>/ { begins = 1 } /<\/html>/ { ends = 1 } /<(script|link)[^>]*(src|href)="http/ { exit bad = 1 } END { exit bad || !(begins && ends) }' "$work/report.html"
    run route "$links" "$work/demand.csv" --report "$work/no/such/folder/report.html"
    expect "a report into a missing folder is refused" 5 'no/such/folder/report.html: .*No such file'
    check "a missing report folder is found before the run" test -z "$out"
fi
run route "$links" "$work/demand.csv" -q --no-compare --decisions "$work/no/such/folder/d.jsonl"
expect "decisions into a missing folder are refused" 5 'no/such/folder/d.jsonl.*No such file'
run route "$links" "$work/demand.csv" -q --no-compare --ledger "$work/no/such/folder/l.jsonl"
expect "a ledger into a missing folder is refused" 5 'no/such/folder/l.jsonl'
run route "$links" "$work/demand.csv" -q --no-compare --out "$links/folder"
expect "an output folder below a file is refused" 5 'links.csv/folder'
