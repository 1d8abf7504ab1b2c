#!/usr/bin/env bash
# A demo of learning from rows: the default ensemble, each window alone, and rivals, on a stream whose truth drifts and
# jumps, with heavy-tailed noise. The comparison favours first-order methods: they have the best learning rate
# of a sweep over this stream. prox-SGD with replay has a window's budget of gradients. The ensemble has no
# option set.
set -euo pipefail
cd "$(dirname "$0")/.."
cat <<'T'

Robust sparse regression, online: 10,000 rows of 50 features. The truth has a few non-zero weights that rotate
slowly and change place at times; noise is heavy-tailed with outliers. Every learner predicts a row before it
learns from it. Lower loss is better. The first learner, the default, is an ensemble of six windows and some cheap
learners. It plays their mean, weighted by their losses. Its certificate follows the table.

T
exec build/release/proxstream compare builtin:drift,rows=10000 --loss cauchy --reg l1:0.02 \
    --learners "ensemble; time-smoothed:window=4; time-smoothed:window=16; time-smoothed:window=64;
        time-smoothed:window=256; time-smoothed:window=1024; re-solve:window=64; full-history:0.05; momentum:0.05;
        adagrad:1; adam:0.015; prox-sgd:0.02,power=0,replay=37" "$@"
