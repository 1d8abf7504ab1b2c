#!/usr/bin/env bash
# proxstream report: the page of a finished, a killed and an active run; what it refuses.
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

# The page's data, on one line.
data_of() { sed -n 's|.*id="proxstream-data">\(.*\)</script>.*|\1|p' "$1"; }
has() { data_of "$1" | grep -qE -- "$2"; }

run learn builtin:drift --rounds 400 --window 16 --loss cauchy --reg l1:0.02 --store a.run --quiet
expect "learn stores a run" 0
run report a.run
if [ "$status" = 2 ] && [[ $err == *"without the report page"* ]]; then
    echo "skip report: the program was built without the page"
    exit
fi
expect "report writes the page of a finished run" 0 '^a.html$'
check "the page describes the run" has a.html '"kind":"run","run":"learn"'
check "the page has all turns" has a.html '"state":\{"turn":400,.*"finished":true,"status":"stopped"'
check "the page has the certificate" has a.html '"sound":true,"claims":\[\{"id":"C0"'
check "the page loads nothing from elsewhere" grep -q "default-src 'none'; script-src" a.html
run report a.run -o other.html
expect "report -o sets the name of the page" 0 '^other.html$'
check "the same store gives the same page" cmp a.html other.html

run route builtin:ring --periods 24 --window 4 --store r.run --quiet
expect "route stores a run" 0
run report r.run
expect "report writes the page of a route" 0
check "the page of a route has the data saved at its end" has r.html '^\{"kind":"route"'

# Killed somewhere in the middle; the page is that of the turns that were stored.
"$PROXSTREAM" route builtin:ring --periods 5000 --window 4 --store k.run --durable 10 --quiet >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do
    "$PROXSTREAM" report k.run -o going.html >/dev/null 2>&1 && has going.html '"state":\{"turn":[1-9]' && break
    sleep 0.1
done
check "report writes the page of an active run" has going.html '"status":"running"'
kill -9 "$pid"
wait "$pid" 2>/dev/null
run report k.run
expect "report writes the page of a killed run" 0
check "the page of a killed run names the command that continues it" has k.html '"status":"stopped","message":"continue it with proxstream resume"'

echo "no store" >junk.run
run report junk.run
expect "a file that is not a store is refused" 3 'junk.run: .*expected a file that proxstream has written'
check "a refused report writes nothing" test ! -e junk.html
run report missing.run
expect "a missing file is refused" 5 'missing.run'
run report a.run -o a.run
expect "a page over the store is refused" 2 'is also an input'
check "the store can still be read" "$PROXSTREAM" report a.run
run report
expect "report without a run is refused" 2 'expected a run store'
run report a.run b.run
expect "report of two runs is refused" 2 'one run at a time'
run report a.run --fast
expect "report refuses an unknown option" 2 "unknown option '--fast'"
run report --help
expect "report --help shows the usage" 0 'usage: proxstream report RUN'
