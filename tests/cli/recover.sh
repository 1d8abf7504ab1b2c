#!/usr/bin/env bash
# Damaged run stores of every kind of run: recovered, and resumed to the numbers of the undamaged run.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

# damage FILE PLACE BYTES: zeros, as a block that a disk has lost.
damage() { dd if=/dev/zero of="$1" bs=1 seek="$2" count="$3" conv=notrunc 2>/dev/null; }
without_clocks() { sed -E 's/"(seconds|time)":[^,}]*,?//g'; }
certificate_of() { "$PROXSTREAM" certify --json "$1" | without_clocks; }
same_certificate() { cmp <(certificate_of "$1") <(certificate_of "$2"); }
part_of() { "$PROXSTREAM" export "$1" --what "$2" "${@:3}" | without_clocks; }
# same_run A B: all turns, rows and claims are equal.
same_run() {
    same_certificate "$1" "$2" && cmp <(part_of "$1" decisions) <(part_of "$2" decisions)
}

run recover --help
expect "recover has help" 0 "usage: proxstream recover RUN OUT"
run recover one.run
expect "recover needs two names" 2 "expected RUN and OUT"
run recover no.run out.run
expect "a missing store is named" 5 "no.run"
echo 'a,b' >table.csv
run recover table.csv out.run
expect "a CSV file is refused" 3 "table.csv: it is not a run store"
check "a refused file leaves nothing behind" test -z "$(ls | grep out.run)"

learn=(learn builtin:drift,rows=3000 --rounds 3000 --window 8 --loss cauchy --quiet)
run "${learn[@]}" --store whole.run --keep all
run recover whole.run out.run
expect "a whole store is left alone" 0 "the store is whole"
check "nothing is written for it" test ! -e out.run

size=$(wc -c <whole.run)
cp whole.run torn.run
truncate -s $((size / 2)) torn.run
cp torn.run torn.copy
run show torn.run
expect "a damaged store names the way out" 3 "proxstream recover torn.run"
run recover torn.run back.run
expect "a cut store is recovered" 0 "gone: " "proxstream resume back.run"
check "the damaged store is unchanged" cmp torn.run torn.copy
run recover torn.run back.run
expect "an existing file is refused" 2 "back.run: the file exists"
run resume back.run --quiet
expect "a recovered store resumes" 0
check "it ends with the certificate of the undamaged run" same_certificate whole.run back.run
run recover torn.run again.run --replay
expect "a cut store is recovered for a replay" 0 "first turn"
run resume again.run --quiet
check "a replay brings back all turns and rows" same_run whole.run again.run
for name in whole again; do "$PROXSTREAM" export $name.run -o $name.jsonl; done
check "a replay brings back the ledger" same_ledger whole.jsonl again.jsonl

# Each page of small runs of all kinds.
road_links >road.csv
small() { # NAME COMMAND...
    local name=$1 place complete=0 refused=0 wrong=0 pages
    shift
    rm -f "$name".run*
    run "$@" --store "$name.run"
    expect "$name: a run is stored" 0
    certificate_of "$name.run" >"$name.json"
    pages=$(($(wc -c <"$name.run") / 4096))
    for ((place = 0; place < pages; place += 1 + pages / 12)); do
        cp "$name.run" bad.run
        damage bad.run $((place * 4096)) 4096
        rm -f good.run*
        # shellcheck disable=SC2086
        if ! "$PROXSTREAM" recover bad.run good.run $replay >"$work/out" 2>"$work/err"; then
            refused=$((refused + 1))
            continue
        fi
        grep -q "the store is whole" "$work/out" && continue
        if "$PROXSTREAM" resume good.run --quiet >"$work/out" 2>"$work/err" &&
            cmp -s <(certificate_of good.run) "$name.json"; then
            complete=$((complete + 1))
        else
            wrong=$((wrong + 1))
            cp bad.run "wrong-$place.run"
            echo "# page $place of $name: $(tail -1 "$work/err")"
        fi
    done
    check "$name: every lost page is recovered or refused ($complete recovered, $refused refused)" \
        test $wrong = 0 -a $complete -gt 0 -a $refused -le $((pages / 3 + 1))
}
replay=""
small learn learn builtin:drift --rounds 300 --window 8 --loss cauchy --quiet
small ensemble learn builtin:drift --rounds 200 --quiet
small route route builtin:ring --periods 40 --quiet
small fit fit builtin:drift --quiet
# The certificate of a game needs the rows of all players.
replay=--replay
small play play rps --rounds 60 --quiet

# Files beside the store continue as if there had been no damage.
aside=(learn builtin:drift --rounds 400 --window 8 --loss cauchy --quiet)
run "${aside[@]}" --store aside.run --predictions plain.csv
cp aside.run bad.run
truncate -s $(($(wc -c <bad.run) * 2 / 3)) bad.run
for replay in "" --replay; do
    cp plain.csv plain.copy
    rm -f good.run*
    # shellcheck disable=SC2086
    run recover bad.run good.run $replay
    run resume good.run --quiet
    check "predictions of a recovered run are those of the undamaged one ${replay:-from its state}" cmp plain.csv plain.copy
    mv plain.copy plain.csv
done

# A served learner: posts that were lost are sent again.
cat >one.toml <<'T'
[learner.main]
kind = "learn"
dimension = 2
loss = "cauchy"
window = 8
step = 0.05
tolerance = "0.01"
T
service=""
trap '[ -n "$service" ] && kill -9 "$service" 2>/dev/null; rm -rf "$work"' EXIT
start() {
    : >serve.err
    "$PROXSTREAM" serve one.toml --port 0 --store-folder stores 2>serve.err &
    service=$!
    port=""
    for _ in $(seq 200); do
        port=$(sed -n 's/^listening on http:.*:\([0-9]*\)$/\1/p' serve.err)
        [ -n "$port" ] && return
        kill -0 "$service" 2>/dev/null || return
        sleep 0.05
    done
}
stop() {
    kill -TERM "$service"
    wait "$service" 2>/dev/null
    service=""
}
# ask METHOD TARGET [BODY]: prints the body of the answer.
ask() {
    exec 9<>"/dev/tcp/127.0.0.1/$port" || return
    printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
        "$1" "$2" "${#3}" "$3" >&9
    sed '1,/^\r$/d' <&9
    exec 9>&-
}
# post_from FIRST: posts the records from FIRST to 60.
post_from() {
    local i body=""
    for ((i = $1; i <= 60; ++i)); do
        body+="${body:+,}{\"record\":{\"x\":[$i,$((i % 3))],\"y\":$((i % 5))},\"turn\":$i}"
    done
    [ -z "$body" ] || ask POST /v1/learners/main/rounds "{\"batch\":[$body]}" >posted
}
turn_of() { ask GET /v1/learners/main "" | sed -n 's/.*"turn":\([0-9]*\).*/\1/p'; }
mkdir stores
start
post_from 1
ask GET /v1/learners/main/certificate "" | without_clocks >whole.json
stop
store=$(ls stores/*)
cp "$store" served.run
pages=$(($(wc -c <served.run) / 4096)) recovered=0 refused=0 wrong=0
for ((place = 0; place < pages; ++place)); do
    cp served.run bad.run
    damage bad.run $((place * 4096)) 4096
    rm -f good.run* stores/*
    if ! "$PROXSTREAM" recover bad.run good.run >"$work/out" 2>"$work/err"; then
        refused=$((refused + 1))
        continue
    fi
    [ -e good.run ] || continue
    mv good.run "$store"
    start
    turns=$(turn_of)
    post_from $((turns + 1))
    ask GET /v1/learners/main/certificate "" | without_clocks >again.json
    stop
    if cmp -s whole.json again.json; then
        recovered=$((recovered + 1))
    else
        wrong=$((wrong + 1))
        echo "# page $place of the served store: behind turn $turns, $(tail -1 serve.err)"
    fi
done
check "served: every lost page is recovered or refused ($recovered recovered, $refused refused)" \
    test $wrong = 0 -a $recovered -gt 0 -a $refused -le $((pages / 3 + 1))
