#!/usr/bin/env bash
# Formats every source. With --check: one line "ok" or "not ok", then the sources that clang-format would change.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --check ]; then
    scripts/sources.sh | xargs clang-format -i
    exit 0
fi
# Many files a call, because starting clang-format takes longer than a file. It exits with 1 if it would change one.
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
if [ -z "$changed" ]; then
    echo "ok format: every source is formatted"
    exit 0
fi
echo "not ok format: $(wc -l <<<"$changed") sources are not formatted; make format does it"
while read -r file; do
    echo "# $file"
    clang-format "$file" | diff -u "$file" - | head -n 12 | sed 's/^/# /' || true
done <<<"$changed"
exit 1
