#!/usr/bin/env bash
# Plays representative runs with two builds of the program and compares their ledgers, traces and final
# points. Among them is every form of window with every forecast rule. A change of structure alone keeps every
# bit; seconds and seals are left out.
#   scripts/compare-runs.sh OLD_PROGRAM NEW_PROGRAM [RUN ...]
# RUN names some of the runs; without it all are played. Output: one line a run, "ok" or "not ok", status 1 if any
# differs.
set -uo pipefail
cd "$(dirname "$0")/.."
old=$(realpath "$1")
new=$(realpath "$2")
shift 2
wanted=" $* "
data=$(realpath "${PROXSTREAM_DATA:-../shared/data}" 2>/dev/null || echo /nowhere)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# plain FILE: the file without what two equal runs may differ in.
plain() {
    sed -E 's/"settings":\{[^}]*\},?//; s/"(seconds|sec|h)":("[^"]*"|[-+0-9.e]+),?//g' "$1"
}

# compare NAME FILES -- ARGUMENTS: FILES are what the run writes; ARGUMENTS are those of the program.
compare() {
    local name=$1 files=() side
    shift
    [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || return 0
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    for side in old new; do
        mkdir -p "$work/$name/$side"
        if ! (cd "$work/$name/$side" && "${!side}" "$@" >out 2>err); then
            echo "not ok $name: the $side program failed: $(tail -n 1 "$work/$name/$side/err")"
            failed=1
            return
        fi
    done
    for side in old new; do
        for file in "${files[@]}"; do
            if [ ! -s "$work/$name/$side/$file" ]; then
                echo "not ok $name: the $side program wrote no $file"
                failed=1
                return
            fi
            plain "$work/$name/$side/$file" >"$work/$name/$side/$file.plain"
        done
    done
    for file in "${files[@]}"; do
        if ! cmp -s "$work/$name/old/$file.plain" "$work/$name/new/$file.plain"; then
            echo "not ok $name: $file differs"
            diff <(tr ',' '\n' <"$work/$name/old/$file.plain") <(tr ',' '\n' <"$work/$name/new/$file.plain") | head -n 6 | cut -c 1-160 | sed 's/^/# /'
            failed=1
            return
        fi
    done
    echo "ok $name"
}
real() { [ -e "$data/$1" ] || { echo "skip $2: no $data/$1"; return 1; }; }

# Rows.
compare learn-auto l.jsonl m.json -- learn builtin:drift --rounds 3000 --ledger l.jsonl -f m.json -q
compare learn-window l.jsonl m.json -- learn builtin:drift --rounds 3000 -w 64 --ledger l.jsonl -f m.json -q
compare learn-logistic l.jsonl -- learn builtin:sparse --rounds 2000 -w 32 --loss logistic --reg l1:0.001 --ledger l.jsonl -q
compare learn-triangle l.jsonl -- learn builtin:season --rounds 2000 -w triangle:48 --ledger l.jsonl -q
compare learn-exp l.jsonl -- learn builtin:switch --rounds 2000 -w exp:32 --loss cauchy --ledger l.jsonl -q
compare learn-season l.jsonl -- learn builtin:season --rounds 2000 -w season:24,8 --ledger l.jsonl -q
compare learn-oracle l.jsonl -- learn builtin:drift --rounds 1000 -w 32 -b 8 --oracle minibatch:4 --tolerance 20 --ledger l.jsonl -q
compare learn-draw l.jsonl -- learn builtin:switch --rounds 2000 --selection draw --ledger l.jsonl -q
compare learn-mlp l.jsonl -- learn builtin:drift --rounds 600 -w 16 --loss mlp:hidden=8 --ledger l.jsonl -q
compare learn-panoc l.jsonl -- learn builtin:drift --rounds 1000 -w 128 --inner panoc --loss logistic --ledger l.jsonl -q
real streams learn-real && compare learn-electricity l.jsonl -- learn "$data"/streams/electricity.csv --standardise --loss logistic --rounds 5000 --ledger l.jsonl -q
# Windows and forecasts: every form with every rule that fits it.
for window in 1 2 9 exp:6,length=20 triangle:9 mean:30,keep=4 season:5,3 weights:0.5,0,0.3,0.2; do
    for model in previous mean zero season:3 season:24; do
        case "$window $model" in "1 zero" | mean*season*) continue ;; esac
        compare "window-$window-$model" l.jsonl -- learn builtin:season --rounds 200 -w "$window" --model "$model" --ledger l.jsonl -q
    done
done
# Networks.
compare route-ring l.jsonl d.jsonl -- route builtin:ring --periods 60 --ledger l.jsonl --decisions d.jsonl -q
compare route-window l.jsonl d.jsonl -- route builtin:mesh --periods 60 -w 16 --no-compare --ledger l.jsonl --decisions d.jsonl -q
real tntp route-real && compare route-siouxfalls l.jsonl -- route "$data"/tntp/SiouxFalls/SiouxFalls_net.tntp "$data"/tntp/SiouxFalls/SiouxFalls_trips.tntp --repeat 8 --ledger l.jsonl -q
# Games.
compare play-rps p-1-row.jsonl -- play rps --rounds 500 -w 10 --ledger p -q
compare play-cournot t.csv s.json -- play cournot --rounds 300 --trace t.csv -f s.json -q
# Fits.
compare fit-panoc m.json -- fit builtin:iid --loss squared-sigmoid --reg l1:0.001 --epsilon 1e-6 -f m.json -q
compare fit-spiderboost m.json -- fit builtin:iid -m spiderboost --passes 20 -f m.json -q
compare fit-sarah m.json -- fit builtin:iid -m sarah --passes 20 -f m.json -q
compare learn-re-solve l.jsonl -- learn builtin:drift --learner re-solve -w 32 --rounds 500 --ledger l.jsonl -q
exit $failed
