#!/usr/bin/env bash
# Runs one GoogleTest program and prints one line a case: "ok NAME", "not ok NAME", "skip NAME reason". A
# program that dies, or reports no case, is a failure of its own.
#   scripts/run-gtest.sh LABEL PROGRAM
set -uo pipefail
label=$1
program=$2
report=$(mktemp)
output=$(mktemp)
trap 'rm -f "$report" "$output"' EXIT
started=$SECONDS
# Properties are tried on the same cases every time, except in the long run, which looks for new ones.
if [ -z "${PROXSTREAM_LONG:-}" ]; then export RC_PARAMS="${RC_PARAMS:-seed=1}"; fi
"$program" --gtest_color=no --gtest_output="xml:$report" >"$output" 2>&1
status=$?

# GoogleTest writes one <testcase> a case; failures and skips are elements inside it.
awk -v label="$label" '
    function attribute(line, key,   found) {
        if (!match(line, " " key "=\"[^\"]*\"")) return ""
        found = substr(line, RSTART, RLENGTH)
        sub(/^[^"]*"/, "", found); sub(/"$/, "", found)
        gsub(/&#x0A;/, " ", found); gsub(/&quot;/, "\"", found); gsub(/&apos;/, "\047", found)
        gsub(/&lt;/, "<", found); gsub(/&gt;/, ">", found); gsub(/&amp;/, "\\&", found)
        return found
    }
    function finish() {
        if (name == "") return
        if (failed) print "not ok " label " " name
        else if (skipped) print "skip " label " " name " " reason
        else print "ok " label " " name
        name = ""
    }
    /<testcase / {
        finish()
        name = attribute($0, "classname") "." attribute($0, "name"); failed = skipped = 0; reason = ""
        if (attribute($0, "status") == "notrun") name = ""
    }
    /<failure/ { failed = 1 }
    /<skipped/ { skipped = 1; reason = attribute($0, "message"); sub(/^[^ ]*:[0-9]+ /, "", reason) }
    END { finish() }
' "$report" | tee "$report.lines"
cases=$(wc -l <"$report.lines")
failures=$(grep -c '^not ok ' "$report.lines")
rm -f "$report.lines"

if [ "$cases" = 0 ]; then
    echo "not ok $label $(basename "$program") ended with status $status and reported no case"
    tail -n 60 "$output" | sed 's/^/# /'
elif [ "$status" != 0 ] && [ "$failures" = 0 ]; then
    echo "not ok $label $(basename "$program") ended with status $status though no case failed"
    tail -n 60 "$output" | sed 's/^/# /'
elif [ "$failures" != 0 ]; then
    # What each failed case said, between its RUN and FAILED lines.
    awk '/^\[ RUN / { n = 0 } { text[++n] = $0 }
         /^\[  FAILED  \].*\([0-9]+ ms\)/ { for (i = 1; i <= n && i <= 60; ++i) print "# " text[i]; n = 0 }' "$output"
fi
echo "# $label: $cases cases in $((SECONDS - started)) s"
