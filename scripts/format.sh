#!/usr/bin/env bash
# Formats every source, or with --check names those that clang-format would change ("ok"/"not ok" lines).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --check ]; then
    scripts/sources.sh | xargs clang-format -i
    exit 0
fi
# Many files a call: starting the program takes longer than a file. It names those it would change, with exit status 1.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
ended=0
scripts/sources.sh | xargs -P "${JOBS:-2}" -n 64 clang-format --dry-run --Werror 2>"$said" || ended=$?
changed=$(sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' "$said" | sort -u)
if [ $ended != 0 ] && [ -z "$changed" ]; then
    echo "not ok format: clang-format ended with status $ended"
    head -n 12 "$said" | sed 's/^/# /'
    exit 1
fi
status=0
while read -r file; do
    if grep -qxF "$file" <<<"$changed"; then
        echo "not ok format $file"
        clang-format "$file" | diff -u "$file" - | head -n 12 | sed 's/^/# /' || true
        status=1
    else
        echo "ok format $file"
    fi
done < <(scripts/sources.sh)
exit $status
