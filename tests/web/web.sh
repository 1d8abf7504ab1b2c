#!/usr/bin/env bash
# The report page: its packages, its types, the parts that need no browser, and the page of a run in a headless
# Chromium. Pictures of it are left in build/web/shots, to be looked at.
#   tests/web/web.sh [BUILD FOLDER [FOLDER OF TEST PROGRAMS]]
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
tests=${2:-$build/tests}
work=build/web/check
shots=$PWD/build/web/shots
mkdir -p "$work"

# say NAME COMMAND...: "ok" or "not ok" and what the command said.
say() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "ok web $name"
    else
        echo "not ok web $name"
        printf '%s\n' "$said" | tail -n 40 | sed 's/^/# /'
        return 1
    fi
}

# Checksums say what a package is; where it comes from is the user's own affair.
no_addresses() {
    ! grep -nE '"resolved"|://' web/package-lock.json
}
# What setup announces is what package.json asks for.
announced() {
    diff <(awk '$1 == "npm" {print $2}' scripts/packages.txt | sort) \
        <(awk -F '"' '/"(dev)?[dD]ependencies": / {in_list = 1; next} /}/ {in_list = 0} in_list {print $2}' web/package.json | sort)
}
install_packages() {
    [ -e "$work/node_modules/installed.mark" ] && cmp -s web/package-lock.json "$work/node_modules/installed.mark" && return
    cp web/package.json web/package-lock.json "$work/" &&
        (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline) &&
        cp web/package-lock.json "$work/node_modules/installed.mark"
}
check_types() {
    rm -rf "$work/src" && cp -r web/src web/tsconfig.json "$work/" && "$work/node_modules/.bin/tsc" -p "$work"
}
say "package-lock.json names no addresses" no_addresses
say "setup announces the packages of package.json" announced
say "packages install" install_packages || exit 1
say "types" check_types

for unit in unit play run; do
    "$work/node_modules/.bin/esbuild" "tests/web/$unit.test.ts" --bundle --platform=node --format=esm --log-level=warning \
        --outfile="$work/$unit.mjs" && node --test-reporter=tap "$work/$unit.mjs" >"$work/$unit.tap"
    awk '/^(not )?ok [0-9]+ - / {sub(/[0-9]+ - /, "web "); print; shown = /^not/} /^    / && shown {print "#" $0}' "$work/$unit.tap"
    grep -q '^ok 1 ' "$work/$unit.tap" || echo "not ok web unit tests of $unit.test.ts did not run"
done

browser=$(command -v chromium-headless-shell || command -v chromium) || {
    echo "skip web page in a browser: there is no chromium here"
    exit
}
fixture=$PWD/$work/fixture.html
rm -f "$fixture"
PROXSTREAM_FIXTURE=$fixture "$tests/test_route" --gtest_filter=ReportPage.IsWrittenWhole >"$work/fixture.log" 2>&1
if [ ! -s "$fixture" ]; then
    echo "not ok web a page to test was not written (see $work/fixture.log)"
    exit 1
fi
plays=$PWD/$work/plays
rm -rf "$plays" && mkdir "$plays"
PROXSTREAM_PLAY_FIXTURES=$plays "$tests/test_play" --gtest_filter=PlayReport.IsWrittenWhole >"$work/plays.log" 2>&1
if [ ! -s "$plays/proxstream-play-ring.html" ]; then
    echo "not ok web pages of plays were not written (see $work/plays.log)"
    exit 1
fi
run=$PWD/$work/run.html
say "a run writes its report" "$build/proxstream" route builtin:ring --periods 120 --window 4 --report "$run" || run=""
timeout 300 node tests/web/browser_test.mjs "$browser" "$shots" "$fixture" ${run:+"$run"} || [ $? = 1 ] || echo "not ok web browser test did not end well"
play=$PWD/$work/play.html
say "a play writes its report" "$build/proxstream" play trio --rounds 400 --window 8 --report "$play" || play=""
film=$PWD/$work/film.html
say "a play of networks writes its report" "$build/proxstream" play gan:ring8,hidden=8 --rounds 60 --report "$film" || film=""
timeout 300 node tests/web/play_test.mjs "$browser" "$shots" "$plays" ${play:+"$play"} ${film:+"$film"} || [ $? = 1 ] || echo "not ok web browser test of plays did not end well"
runs=$PWD/$work/runs
rm -rf "$runs" && mkdir "$runs"
PROXSTREAM_RUN_FIXTURES=$runs "$tests/test_store" --gtest_filter=PageData.GoesIntoThePage >"$work/runs.log" 2>&1
if [ -s "$runs/proxstream-run-live.html" ]; then
    timeout 300 node tests/web/run_test.mjs "$browser" "$shots" "$runs/proxstream-run-live.html" || [ $? = 1 ] || echo "not ok web browser test of runs did not end well"
else
    echo "not ok web pages of runs were not written (see $work/runs.log)"
fi
timeout 300 node tests/web/serve_test.mjs "$browser" "$shots" "$(realpath "$build/proxstream")" || [ $? = 1 ] || echo "not ok web browser test of the service did not end well"
timeout 300 node tests/web/site_test.mjs "$browser" "$(realpath "$build/proxstream")" || [ $? = 1 ] || echo "not ok web browser test of other sites did not end well"
