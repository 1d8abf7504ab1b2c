#!/usr/bin/env bash
# Studies: every quick preset runs and writes its files; errors are reported before the first run.
. "$(dirname "$0")/common.bash"

run study list
if [ "$status" = 2 ]; then
    expect "a program without the studies says so" 2 'built without the studies' '-DPROXSTREAM_STUDIES=ON'
    exit
fi
run study
expect "study alone lists the studies" 0 'windows ' 'ensembles ' 'churn '
run study list
expect "study list lists the studies" 0 'windows ' 'ensembles ' 'churn '
run study --help
expect "study --help shows the options" 0 '--preset' '--seeds' '--out' '--force' 'churn '

# The report's tables have a figure in every cell, and the charts are whole.
whole() {
    local folder=$1 chart
    [ "$(head -n 1 "$folder/results.csv")" = stream,method,figure,seed,value ] || return 1
    awk -F, 'NR > 1 && $NF !~ /^-?[0-9.]+(e[-+][0-9]+)?$/ { print "not a figure: " $0; bad = 1 } END { exit bad || NR < 10 }' "$folder/results.csv" || return 1
    for chart in "$folder"/*.svg; do
        [ -e "$chart" ] || continue
        grep -q '^<svg ' "$chart" && [ "$(tail -n 1 "$chart")" = "</svg>" ] || { echo "$chart is not whole"; return 1; }
        grep -qE 'nan|inf|no data' "$chart" && { echo "$chart shows nothing"; return 1; }
        if command -v xmllint >/dev/null; then xmllint --noout "$chart" || return 1; fi
    done
}
# Tables of the report: a row of figures at least, and a "-" only where a method cannot have the figure.
figures() {
    grep -qE '^\| .* \| +\**\(?-?[0-9]' "$1/table.md" || { echo "no figures"; return 1; }
    case $2 in
        windows) set -- "$1" '^\| season' ;;
        errata) set -- "$1" '^\| (Theorem [24]|Traffic|Corollary 1, its delta)' ;;
        games) set -- "$1" '^\| (prox-gradient|optimistic|extragradient|adam)' ;;
        sample-complexity) set -- "$1" '^\| (prox-sgd|spiderboost|sarah|storm)' ;;
        *) set -- "$1" '^$' ;;
    esac
    awk -v exempt="$2" '/^\|/ && $0 !~ exempt && / - / { print; bad = 1 } END { exit bad }' "$1/table.md"
}
# A study that checks itself reports its findings, and all of them hold.
found() {
    awk '/^## / { inside = $0 == "## Findings" } inside && /^- / { print; n++; if (!/^- holds: .*: .*, expected /) bad = 1 } END { exit bad || n < 4 }' "$1/table.md"
}
self_checking="regret-window steps errata selection samples sample-complexity window-choice routing games gans"
for name in $("$PROXSTREAM" study list | awk 'NR > 1 { print $1 }'); do
    run study "$name" --preset quick --out "$work/$name"
    if [ "$status" = 2 ] && grep -q PROXSTREAM_DATA "$work/err"; then
        echo "skip study $name: its data are not there (set PROXSTREAM_DATA)"
        continue
    fi
    # It has no chart, and its table has the spread of the seeds in place of standard errors.
    case $name in defaults) errors='seed spread' files='table[.]md$' ;; *) errors='[+]-' files='[.]svg$' ;; esac
    expect "study $name runs" 0 "^# Study $name$" "proxstream study $name --preset quick" "$errors" \
        "wrote $work/$name/results.csv" '^1/[0-9]+ ' 'seeds 1 to 2' "$files"
    check "study $name writes whole files" whole "$work/$name"
    check "study $name prints table.md" diff <(grep '^|' "$work/$name/table.md") <(grep '^|' "$work/out")
    check "study $name fills its table" figures "$work/$name" "$name"
    case " $self_checking " in
        *" $name "*) check "study $name confirms its findings" found "$work/$name" ;;
        *) check "study $name marks the best" grep -q '[*][*]' "$work/$name/table.md" ;;
    esac
done

run study churn --preset quick --seeds 1 --quiet --out "$work/again/deeper"
expect "study makes folders, and one seed has no error" 0 'seeds 1 to 1'
check "study --quiet prints no progress" test -z "$err"
check "a seed's figures do not depend on the others" diff <(grep -v microseconds "$work/churn/results.csv" | grep ",1,[^,]*\$") <(grep -v microseconds "$work/again/deeper/results.csv" | tail -n +2)

run study widnows
expect "a typo in the study gets a suggestion" 2 "unknown study 'widnows'; did you mean 'windows'"
run study windows --preset medium --seeds 0 --sedes 4
expect "all bad options are reported at once" 2 "unknown option '--sedes'; did you mean '--seeds'" "preset = 'medium': must be quick or full" "seeds = '0': must be a whole number from 1 to 1000"
run study windows churn --out "$work/two"
expect "two studies at once are refused" 2 "'churn': one study at a time"
run study churn --preset quick --out "$work/churn"
expect "a folder that is not empty is refused" 2 'the folder is not empty' '--force'
run study churn --preset quick --seeds 1 --force --quiet --out "$work/churn"
expect "--force accepts a folder that is not empty" 0 'seeds 1 to 1'
run study churn --preset quick --out "$work/churn/table.md"
expect "a file in place of the folder is refused" 2 'this is a file, not a folder'
run study churn --preset quick --out "$work/churn/table.md/below"
expect "a folder that cannot be made is refused" 5 'cannot be made'

# Rows of the user.
awk 'BEGIN { print "time,flow"; for (t = 1; t <= 80; t++) print t "," 5 + (t * 7) % 5 }' >"$work/flow.csv"
run study defaults --preset quick --out "$work/mine" --data "$work/flow.csv" --label flow --ignore time --lags 1..2 --loss cauchy
expect "study defaults on the user's rows" 0 '^[|] flow.csv, cauchy ' 'your data: within 1 %' "--data $work/flow.csv --label flow"
check "study defaults uses only the user's rows" sh -c '! grep -q built-in "$1"' sh "$work/mine/results.csv"
sed '31s/,.*/,high/' "$work/flow.csv" >"$work/bad.csv"
run study defaults --preset quick --out "$work/bad" --data "$work/bad.csv" --label flow --ignore time --lags 1
expect "a row that cannot be read is refused" 3 "bad.csv:31, column 2 [(]flow[)]: 'high' is not a number"
check "a refused study makes no folder" test ! -e "$work/bad"
run study defaults --preset quick --out "$work/bad" --data "$work/flow.csv" --labell flow --loss cauchi
expect "mistakes in options of rows are reported" 2 "unknown option '--labell'; did you mean '--label'" "unknown loss 'cauchi'"
run study windows --preset quick --out "$work/bad" --data "$work/flow.csv"
expect "a study with its own data refuses the user's" 2 "unknown option '--data'"
PROXSTREAM_DATA="$work/nowhere" "$PROXSTREAM" study defaults --seeds 1 --out "$work/no-data" >"$work/out" 2>"$work/err" </dev/null &
job=$!
for _ in $(seq 600); do grep -q '^1/' "$work/err" && break; sleep 0.1; done
kill -INT $job
wait $job
status=$?
out=$(<"$work/out") err=$(<"$work/err")
expect "missing data are skipped with a line each" 130 "^skip electricity: there is no file '$work/nowhere/streams/electricity.csv'" '^skip pod b, delay: ' '^## Skipped$'

# Interrupted: what is finished is there.
: >"$work/err"  # what a run before has said must not end the wait
"$PROXSTREAM" study windows --preset full --seeds 1000 --out "$work/stopped" >"$work/out" 2>"$work/err" </dev/null &
job=$!
for _ in $(seq 300); do grep -q '^1/' "$work/err" && break; sleep 0.1; done
kill -INT $job
wait $job
status=$?
out=$(<"$work/out") err=$(<"$work/err")
expect "SIGINT ends a study with its report" 130 'Interrupted: [1-9][0-9]* of 5000 cells'
check "SIGINT leaves whole charts" test "$(tail -qn 1 "$work"/stopped/*.svg | sort -u)" = "</svg>"
check "SIGINT leaves whole figures" awk -F, 'NF < 5 { exit 1 } END { exit NR < 10 }' "$work/stopped/results.csv"
