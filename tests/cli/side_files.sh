#!/usr/bin/env bash
# Files beside a store: whatever becomes of them, resume writes them again as they were. That holds in the middle of a
# run, and after its end.
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

awk 'BEGIN { srand(7); print "a,b,y"
             for (i = 0; i < 400; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," 2*a - b + i/500 + (rand()-.5)/5 } }' >rows.csv

# A file without what the clock and the command decide: seconds in certificates, tables, ledgers and pages.
timeless() {
    case $1 in
    *.json | *.jsonl) sed -E 's/"(seconds|command)": ?("[^"]*"|[^,}]*)//g; /^\{"end":/ s/"h":"[^"]*"//' "$1" ;;
    */periods.csv) sed -E 's/,[^,]*(,[^,]*,[^,]*)$/\1/' "$1" ;;
    */methods.csv | t.csv) sed -E 's/[0-9.e-]+//g' "$1" ;;
    *.html) sed -E 's/<script type="application\/json".*//' "$1" | head -c 20000 ;;
    *) cat "$1" ;;
    esac
}
same_as_before() {
    local file
    for file in "${files[@]}"; do
        [ -e "before/$file" ] || { echo "no $file before"; return 1; }
        [ -e "$file" ] || { echo "$file is missing"; return 1; }
        cmp <(timeless "$file") <(cd before && timeless "$file") || return 1
    done
}

damage() {
    case $1 in
    missing) rm "$2" ;;
    shorter) truncate -s "$(($(stat -c %s "$2") / 2))" "$2" ;;
    longer) echo "one line too many" >>"$2" ;;
    changed) printf '#' | dd of="$2" bs=1 seek=7 conv=notrunc 2>/dev/null ;;
    esac
}

# torment NAME FIRST MORE ARGS...: a run that stops early (ARGS FIRST) and is resumed to its end (MORE). Its files are
# damaged after the end, and in between. `files`: all that the run writes; `growing`: those that grow with it.
torment() {
    local name=$1 first=$2 more=$3 file how ways
    shift 3
    rm -rf before part ./*.run* "${files[@]}"
    # shellcheck disable=SC2086 # an option and its value
    run "$@" --store a.run $first
    expect "$name: the first part ends" 0
    mkdir part before
    cp -r --parents a.run "${files[@]}" part 2>/dev/null
    # shellcheck disable=SC2086
    run resume a.run $more
    expect "$name: the run ends" 0
    cp --parents "${files[@]}" before
    run resume a.run
    expect "$name: all files are there" 0 "its files are there"
    for file in "${files[@]}"; do
        damage missing "$file"
        run resume a.run
        expect "$name: an ended run writes a file again ($file)" 0 "written again: .*$file"
        check "$name: all files are as they were ($file)" same_as_before
    done
    for file in "${growing[@]}"; do
        # Every way for the first file; the others differ in what writes them.
        ways="shorter"
        [ "$file" = "${growing[0]}" ] && ways="missing shorter longer changed"
        for how in $ways; do
            rm -rf a.run* "${files[@]}"
            cp -r part/. .
            damage $how "$file"
            # shellcheck disable=SC2086
            run resume a.run $more
            expect "$name: a run continues ($file, $how)" 0
            [ $how = longer ] || expect "$name: it says what was lost ($file, $how)" 0 \
                "$file (is missing|is shorter than it was|has changed); the run is played again from turn [0-9]+"
            check "$name: all files are as they would be ($file, $how)" same_as_before
        done
    done
}

learn=(learn rows.csv --label y --loss cauchy --durable 20 --quiet --predictions p.csv --metrics m.csv --metrics-every 70 --save model.json --certificate c.json --report r.html)
files=(p.csv m.csv model.json c.json r.html) growing=(p.csv m.csv)
torment "learn" "--rounds 250" "--rounds 0" "${learn[@]}" --window 16
torment "learn, folded turns" "--rounds 250" "--rounds 0" "${learn[@]}" --window 4 --keep 1

route=(route builtin:ring --durable 3 --quiet --window 4 --no-compare --out o --detail all --decisions d.jsonl --report r.html)
files=(d.jsonl r.html o/run.json o/network.geojson o/links.csv o/pairs.csv o/paths.csv o/periods.csv o/events.csv o/alarms.csv
    o/methods.csv o/flows_last.geojson o/link_flows.csv o/splits.csv o/demand.csv o/ledger.jsonl)
growing=(d.jsonl o/links.csv o/paths.csv o/periods.csv o/link_flows.csv o/splits.csv o/demand.csv o/ledger.jsonl)
torment "route" "--periods 11" "--periods 20" "${route[@]}"

play=(play rps --quiet --durable 10 --window 5 --measure-every 10 --responses-every 10 --out o)
files=(o/trace.csv o/strategies.json o/certificate.json o/report.html o/ledger-1-row.jsonl o/ledger-2-column.jsonl)
growing=(o/trace.csv o/ledger-1-row.jsonl)
torment "play" "--rounds 90" "--rounds 200" "${play[@]}"

fit=(fit rows.csv --label y --loss cauchy --quiet --durable 4 --epsilon 0 --measure 1 --method prox-svrg --trace t.csv --save model.json
    --predictions p.csv --certificate c.json)
files=(t.csv model.json p.csv c.json) growing=()
torment "fit" "--passes 10" "--passes 20" "${fit[@]}"

# A run that depends on the clock cannot be played again: its file begins anew, and resume says so.
run "${learn[@]}" --window 4 --max-seconds 5 --store clock.run --rounds 250
rm p.csv
run resume clock.run --rounds 0
expect "a run with a time limit continues without its file" 0 "p.csv is missing; .* begins anew"
check "the new file has the rows from there on" eval '[ "$(sed -n 2p p.csv | cut -d, -f1)" = 251 ] && [ "$(wc -l <p.csv)" = 151 ]'
