#!/usr/bin/env bash
# Formats every source, or with --check names those that clang-format would change ("ok"/"not ok" lines).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" != --check ]; then
    scripts/sources.sh | xargs clang-format -i
    exit 0
fi
status=0
while read -r file; do
    if clang-format "$file" | cmp -s - "$file"; then
        echo "ok format $file"
    else
        echo "not ok format $file"
        clang-format "$file" | diff -u "$file" - | head -n 12 | sed 's/^/# /' || true
        status=1
    fi
done < <(scripts/sources.sh)
exit $status
