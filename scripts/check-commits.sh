#!/usr/bin/env bash
# Checks the messages of commits after the given one (default: the first commit under this rule). One line "ok" or
# "not ok". A subject has at most 72 characters, starts with a capital, has no full stop; a body says why.
#   scripts/check-commits.sh [BASE]          scripts/check-commits.sh --message FILE   (for a commit-msg hook)
set -uo pipefail
cd "$(dirname "$0")/.."
base=d09e2ec

# problems SUBJECT BODY: what is wrong with a message, a line each.
problems() {
    local subject=$1 body=$2
    [ ${#subject} -le 72 ] || echo "the subject has ${#subject} characters; at most 72 are allowed"
    [[ $subject =~ ^[A-Z] ]] || echo "the subject does not start with a capital letter"
    [[ $subject != *. ]] || echo "the subject ends with a full stop"
    [[ $subject != *\;* ]] || echo "the subject has a semicolon: one idea a commit"
    # Words that end in -ed or -ing are hardly ever imperative; those that are get listed here.
    if [[ ${subject%% *} =~ (ed|ing)$ ]] && ! [[ ${subject%% *} =~ ^(Feed|Need|Seed|Shed|Speed|Bring|Embed|String|Exceed|Proceed)$ ]]; then
        echo "the subject starts with '${subject%% *}'; use the imperative"
    fi
    [ -n "${body//[[:space:]]/}" ] || echo "there is no body; it says why"
}

if [ "${1:-}" = --message ]; then
    found=$(problems "$(head -n 1 "$2")" "$(tail -n +3 "$2" | grep -v '^#')")
    [ -z "$found" ] && exit 0
    echo "$found" >&2
    exit 1
fi
base=${1:-$base}
if ! git cat-file -e "$base^{commit}" 2>/dev/null; then
    echo "skip commit messages: the history before $base is not here"
    exit 0
fi
found=$(git rev-list --no-merges "$base"..HEAD | while read -r commit; do
    problems "$(git log -1 --format=%s "$commit")" "$(git log -1 --format=%b "$commit")" | sed "s/^/${commit:0:8}: /"
done)
if [ -z "$found" ]; then
    echo "ok commit messages: every subject and body keeps the rule"
else
    echo "not ok commit messages"
    sed 's/^/# /' <<<"$found"
    exit 1
fi
