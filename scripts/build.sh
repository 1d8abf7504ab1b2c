#!/usr/bin/env bash
# Configures and builds one preset, or the targets named in $PROXSTREAM_TARGETS; quiet unless something goes wrong.
#   scripts/build.sh PRESET [-DNAME=VALUE ...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset"
log=build/$preset/build.log
echo "building build/$preset ..."
if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "configuring the preset '$preset' failed; the whole output is in $log" >&2
    exit 1
fi
# shellcheck disable=SC2086 # several targets are several words
if ! cmake --build "build/$preset" -j "${JOBS:-2}" ${PROXSTREAM_TARGETS:+--target $PROXSTREAM_TARGETS} >>"$log" 2>&1; then
    grep -E -A 12 'error:|FAILED:|undefined reference' "$log" | head -n 80 >&2
    echo "building the preset '$preset' failed; the whole output is in $log" >&2
    exit 1
fi
