#!/usr/bin/env bash
# Runs that are killed (kill -9) at random instants and resumed: their stores and all their files equal those of an
# unbroken run, byte for byte. KILLS: how many kills of all kinds together (20; 200 with PROXSTREAM_LONG).
. "$(dirname "$0")/common.bash"

kills=${KILLS:-$([ -n "${PROXSTREAM_LONG:-}" ] && echo 200 || echo 20)}
RANDOM=${SEED:-$$}

awk 'BEGIN { srand(7); print "a,b,c,y"
             for (i = 0; i < 1500; ++i) { a = rand() - .5; b = rand() - .5; c = rand() - .5
                                          print a "," b "," c "," 2*a - b + i/500 + (rand()-.5)/5 } }' >"$work/rows.csv"
rows="$work/rows.csv"
files="$work/files"  # what runs write beside their stores

milliseconds() { local now; now=$(date +%s%N); echo $((now / 1000000)); }

# What two stores must agree about: certificates and ledgers except the seconds, decisions, figures except times.
contents() {
    local store=$1 accounts account
    "$PROXSTREAM" certify --json "$store" | sed 's/"seconds":[^,}]*//g'
    accounts=$("$PROXSTREAM" show "$store" | sed -nE 's/^ *file .*, ([0-9]+) ledgers?.*/\1/p')
    for ((account = 0; account < ${accounts:-0}; ++account)); do
        [ -n "$keep" ] || break
        "$PROXSTREAM" export "$store" --what ledger --account "$account" | sed -E '/^\{"end":/ { s/"seconds":[^,}]*//g; s/"h":"[^"]*"// }'
    done
    "$PROXSTREAM" export "$store" --what decisions
    "$PROXSTREAM" export "$store" --what figures | sed -E 's/"(seconds|time)":[^,}]*,?//g'
}

# A table without the columns of seconds; a row that is cut short ends elsewhere.
table() { awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) clock[i] = $i ~ /seconds/ }
                   { for (i = 1; i <= NF; ++i) if (!clock[i]) printf "%s,", $i; print "" }' "$1"; tail -c 1 "$1" | od -c; }

# Every file that a run has written beside its store, without what the clock says.
written() {
    local file
    find "$files" -type f ! -name '*.part-*' | sort | while read -r file; do
        echo "file $file"
        case $file in
            *.csv) table "$file" ;;
            *.html) grep -c '</html>' "$file" ;;
            *.jsonl) sed '/^{"end":/d' "$file"; tail -n 1 "$file" | cut -c1-7 ;;
            *) sed -E 's/"seconds": ?[^,}]*//g; /"command":/d' "$file" ;;
        esac
    done
}

# settle RUN ARGS...: resumes the run, or starts it if nothing is stored yet; in the background, as $pid.
settle() {
    local store=$1
    shift
    if "$PROXSTREAM" show "$store" >/dev/null 2>&1; then
        resumed=$((resumed + 1))
        local options=()
        [ $((RANDOM % 2)) = 0 ] && options=(--quiet --threads "$threads")
        "$PROXSTREAM" resume "$store" "${options[@]}" >"$work/out" 2>"$work/err" </dev/null &
    else
        rm -f "$store"*
        "$PROXSTREAM" "$@" --store "$store" ${keep:+--keep "$keep"} --threads "$threads" >"$work/out" 2>"$work/err" </dev/null &
    fi
    pid=$!
}

# What stores keep besides their defaults: everything, if it is given.
keep=""

# torment NAME KILLS ARGS...: runs of ARGS, killed KILLS times in all, each compared with one that was not.
torment() {
    local name=$1 wanted=$2 done=0 runs=0 resumed=0 begun whole store
    shift 2
    rm -rf "$work"/*.run* "$files"
    mkdir "$files"
    begun=$(milliseconds)
    run "$@" --store "$work/whole.run" ${keep:+--keep "$keep"}
    whole=$(($(milliseconds) - begun))
    local took=$whole
    if [ "$status" != 0 ]; then
        expect "$name: the run without kills ends" 0
        return
    fi
    { contents "$work/whole.run"; written; } >"$work/whole.txt"
    while [ $done -lt "$wanted" ]; do
        runs=$((runs + 1))
        store="$work/cut$runs.run"
        rm -rf "$files"
        mkdir "$files"
        threads=$((1 + runs % 2))
        # Sometimes a run is not killed any more, so that every run ends.
        local left=4
        while :; do
            settle "$store" "$@"
            if [ $left -gt 0 ] && [ $done -lt "$wanted" ]; then
                local wait=$((RANDOM * 32768 + RANDOM))
                wait=$((wait % (whole + whole / 10 + 1)))
                # Each fourth kill hits the last moments, when the final files are written.
                [ $((RANDOM % 4)) = 0 ] && wait=$((whole * 8 / 10 + wait * 3 / 10))
                sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
                if kill -9 "$pid" 2>/dev/null; then
                    wait "$pid" 2>/dev/null
                    if [ $? = 137 ]; then
                        done=$((done + 1))
                        left=$((left - 1))
                        continue
                    fi
                fi
            fi
            wait "$pid" 2>/dev/null
            status=$?
            # It ended before it could be killed: the first run was slower than this one.
            [ $left -lt 4 ] || whole=$((whole * 3 / 4))
            break
        done
        if [ "$status" != 0 ]; then
            out=$(<"$work/out") err=$(<"$work/err")
            expect "$name: run $runs ends after its last kill" 0
            return
        fi
        { contents "$store"; written; } >"$work/cut.txt"
        if ! cmp -s "$work/whole.txt" "$work/cut.txt"; then
            echo "not ok $name: run $runs differs from the run without kills"
            diff "$work/whole.txt" "$work/cut.txt" | cut -c1-300 | head -10
            return
        fi
        rm -rf "$store"*
    done
    echo "ok $name: $done kills in $runs runs of $took ms, $resumed resumed, all equal to the run without kills"
}

# A table with text, times, gaps, and labels that are missing or come later, in two files.
awk -v folder="$work" 'BEGIN { srand(9); OFS = ","; split("Oslo,Rome,Nice,Paris,Lima,Bonn", city, ",")
             for (part = 1; part <= 2; ++part) {
                 print "id", "when", "city", "a", "y" >folder "/part" part ".csv"
                 for (i = 0; i < 700; ++i) {
                     c = 1 + int(rand() * (part == 1 ? 4 : 6)); a = rand() - .5; y = 3 * a + c + rand() / 5; late = rand() < .1
                     row = "p" part "r" i "," sprintf("2024-%02d-%02d", 1 + int(i / 60), 1 + i % 28) "," (rand() < .05 ? "" : city[c]) "," (rand() < .1 ? "NA" : a)
                     print row, (late ? "" : y) >folder "/part" part ".csv"
                     if (late && rand() < .7) print row, y >folder "/part" part ".csv"
                 }
             } }'

each=$(((kills + 8) / 9))
final=(--save "$files/model.json" --certificate "$files/certificate.json")
learned=(--predictions "$files/p.csv" --metrics "$files/m.csv" --metrics-every 70 "${final[@]}" --report "$files/report.html" --quiet --durable 20)
torment "learn, tables" $each learn "$work/part1.csv" "$work/part2.csv" --label y --key id --time when --lags 2,3 --window auto:longest=16 "${learned[@]}"
learn=(learn "$rows" --label y --loss cauchy --reg l1:0.001 --step 0.5 "${learned[@]}")
torment "learn, an ensemble" $each "${learn[@]}" --window auto:longest=16
keep=all torment "learn, sampled gradients" $each "${learn[@]}" -w 6 --oracle gaussian:0.05 --learner time-smoothed:variant=paper --tolerance 1 --force
route=(route builtin:ring --periods 40 --durable 3 --quiet --window 8 --out "$files/out" --detail all --decisions "$files/decisions.jsonl" --report "$files/report.html")
keep=all torment "route, with rivals" $each "${route[@]}" --rivals "re-solve-last; time-smoothed:window=4" --generate 6
torment "route, without" $each "${route[@]}" --no-compare --ledger "$files/ledger.jsonl"
play=(play quadratic:n=20 --rounds 3000 --quiet --durable 10 --out "$files/out")
keep=all torment "play" $each "${play[@]}" --window 5
torment "play, sampled gradients" $each "${play[@]}" --window 4 --oracle gaussian:0.05 --tolerance 2 --force --keep turns
fit=(fit "$rows" --label y --loss cauchy --reg l1:0.001 --quiet --durable 4 --epsilon 0 --measure 1 --trace "$files/trace.csv" --predictions "$files/p.csv" "${final[@]}")
torment "fit, a stochastic method" $each "${fit[@]}" --method prox-svrg --passes 3000
torment "fit, on f itself" $each "${fit[@]}" --method prox-grad --iterations 12000
