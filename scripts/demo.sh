#!/usr/bin/env bash
# The demo: learners side by side on a stream whose truth drifts and jumps, with heavy-tailed noise. First-order
# methods have the best step of a sweep over this very stream, and prox-SGD with replay has the window's budget of
# gradients: the comparison leans their way.
set -euo pipefail
cd "$(dirname "$0")/.."
cat <<'T'

Robust sparse regression, online: 10,000 rows of 50 features. The truth has a few non-zero weights that rotate
slowly and change place now and then; noise is heavy-tailed with outliers. Every learner predicts a row before it
learns from it. Lower loss is better; Reg_64 is the local regret: how far from stationary the last 64 losses'
mean was where each learner played.

T
exec build/release/proxstream compare builtin:drift,rows=10000 --loss cauchy --reg l1:0.02 --window 64 \
    --learners "time-smoothed; time-smoothed:window=16; time-smoothed:window=256; re-solve:steps=25;
        window-steps:steps=1; full-history:0.05; prox-gradient:0.05; momentum:0.05; adam:0.015;
        prox-sgd:0.02,power=0,replay=37" "$@"
