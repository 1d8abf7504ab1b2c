#!/usr/bin/env bash
# The demo: a working week of a built-in city with everything at its default but the link costs, which are of the queueing
# kind, where the differences between methods lie. Nobody is tuned to it, the first in the table included.
set -euo pipefail
cd "$(dirname "$0")/.."
report=proxstream-report.html
cat <<'T'

Online traffic assignment: a city of 61 junctions and 240 one-way links over a working week, in periods of 15 minutes.
Demand of 552 pairs of zones comes in bursts on top of two rush hours; now and then a link is narrowed or closed. Every
method splits each pair's traffic over four paths before it knows the period's demand; only the last line, the floor, knew
it. Cost is the time all vehicles spend, churn the traffic that changes its path from one period to the next. Which
method is cheapest differs from seed to seed (--seed N): re-solving for the last demand is often a little cheaper than the
bank of windows, and moves far more traffic. Below the table stands what was proved on the bank's run.

T
if ! build/release/proxstream route builtin:ring week:days=5 --cost davidson --report "$report" "$@" 2>build/demo.log; then
    cat build/demo.log >&2
    exit 1
fi
echo "Open it in a browser; it needs no network: file://$PWD/$report"
echo "The alarms as they were raised: build/demo.log"
