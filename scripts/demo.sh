#!/usr/bin/env bash
# The demo: a working week on the built-in city. Demand comes in bursts, links lose capacity or close, and delays grow like
# those of queues. No method is tuned.
set -euo pipefail
cd "$(dirname "$0")/.."
report=proxstream-report.html
cat <<'T'

Online traffic assignment: a city of 61 junctions and 240 one-way links over a working week, in periods of 15 minutes.
Demand of 552 pairs of zones comes in bursts on top of two rush hours; some links lose capacity or close. Every method
splits each pair's traffic over its paths before the demand of the period is known. The last line, the clairvoyant, is a
lower bound: the best splits for the known demand. Cost is the time of all vehicles. Churn is the traffic that changes its
path from one period to the next. The ensemble, marked *, has no option set. Its certificate follows the table.

T
if ! build/release/proxstream route builtin:ring week:days=5,peak=0.7,burst=0.6,memory=0 --cost davidson --threads 0 \
    --report "$report" "$@" 2>build/demo.log; then
    cat build/demo.log >&2
    exit 1
fi
echo "Open it in a browser; it needs no network: file://$PWD/$report"
echo "Events and alarms by period: build/demo.log"
