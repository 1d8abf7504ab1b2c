#!/usr/bin/env bash
# The demo: a working week on the built-in city. Demand comes in bursts, links lose capacity or close, and delays grow like
# those of queues. Every method chooses its splits before it sees a period's demand; nothing is tuned for the lead.
set -euo pipefail
cd "$(dirname "$0")/.."
cat <<'T'

A city of 61 junctions and 240 links, 552 pairs of zones, a quarter of an hour a period, Monday to Friday. Before each
period every method says which share of each pair's traffic takes which of four paths; then the demand comes, and the
cost of the period is the total time, with queues. The bank, marked *, is proxstream with nothing set: windows of 1 to
1024 periods and two cheap learners on one store, of which realised cost decides who plays. The clairvoyant knows the
demand beforehand and is the floor. Alarms are marked !.

T
build/release/proxstream route builtin:ring --demand week:days=5,peak=0.75,burst=0.5,memory=0.3 --cost davidson \
    --threads 0 --report proxstream-report.html "$@"
cat <<T

Open it in a browser: file://$PWD/proxstream-report.html
T
