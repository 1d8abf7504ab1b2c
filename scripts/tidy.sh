#!/usr/bin/env bash
# Lints every source with clang-tidy ("ok"/"not ok" lines, one a file), after proving that its header filter
# sees our headers: a filter that matches nothing would pass everything.
#   scripts/tidy.sh [--analyse] [FILE...]
set -uo pipefail
cd "$(dirname "$0")/.."
extra=()
if [ "${1:-}" = --analyse ]; then
    extra=(--checks=clang-analyzer-*,-clang-analyzer-optin.*)
    shift
fi
cmake --preset tidy >build/tidy.log 2>&1 || { tail -n 20 build/tidy.log; exit 1; }
status=0

probe=build/tidy/filter-probe
mkdir -p "$probe/include/proxstream/core"
echo 'inline int BadlyNamed() { return 0; }' >"$probe/include/proxstream/core/probe.hpp"
printf '#include "proxstream/core/probe.hpp"\nint main() { return BadlyNamed(); }\n' >"$probe/probe.cpp"
said=$(clang-tidy --quiet --config-file=.clang-tidy "$probe/probe.cpp" -- -std=c++20 -I"$PWD/$probe/include" 2>/dev/null)
if [[ $said == *"probe.hpp:1:12: error: invalid case style for function 'BadlyNamed'"* ]]; then
    echo "ok tidy header filter reports a bad header"
else
    echo "not ok tidy header filter: a bad header went unreported"
    printf '%s\n' "$said" | sed 's/^/# /'
    status=1
fi

lint() {
    local file=$1 out=build/tidy/report/${1//\//+}
    shift
    # Without a compile command clang-tidy would guess the flags, and the file would not really be checked.
    if ! grep -q "\"file\": \".*/$file\"" build/tidy/compile_commands.json; then
        printf 'not ok tidy %s\n# no compile command: is it in a folder that CMake globs?\n' "$file" >"$out"
    elif clang-tidy --quiet -p build/tidy "$@" "$file" >"$out.said" 2>&1; then
        echo "ok tidy $file" >"$out"
    else
        { echo "not ok tidy $file"; grep -v 'warnings generated' "$out.said" | head -n 60 | sed 's/^/# /'; } >"$out"
    fi
    rm -f "$out.said"
}
export -f lint
rm -rf build/tidy/report
mkdir -p build/tidy/report
# Fuzz targets are compiled by clang with libFuzzer, in a build of their own.
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else scripts/sources.sh .cpp | grep -v '^fuzz/'; fi |
    xargs -P "${JOBS:-2}" -I{} bash -c 'lint "$@"' lint {} "${extra[@]}"
cat build/tidy/report/*
grep -q '^not ok ' build/tidy/report/* && status=1
exit $status
