#!/usr/bin/env bash
# The demo: a working week on the built-in city. Demand comes in bursts, links lose capacity or close, and delays grow like
# those of queues. No method is tuned to it.
set -euo pipefail
cd "$(dirname "$0")/.."
report=proxstream-report.html
cat <<'T'

Online traffic assignment: a city of 61 junctions and 240 one-way links over a working week, in periods of 15 minutes.
Demand of 552 pairs of zones comes in bursts on top of two rush hours; now and then a link is narrowed or closed. Every
method splits each pair's traffic over its paths before it knows the period's demand; only the last line, the floor, knew
it. Cost is the time all vehicles spend, churn the traffic that changes its path from one period to the next. The
ensemble, marked *, is proxstream with nothing set. Below the table stands what was proved.

T
if ! build/release/proxstream route builtin:ring week:days=5,peak=0.7,burst=0.6,memory=0 --cost davidson --threads 0 \
    --report "$report" "$@" 2>build/demo.log; then
    cat build/demo.log >&2
    exit 1
fi
echo "Open it in a browser; it needs no network: file://$PWD/$report"
echo "Events and alarms as they came: build/demo.log"
