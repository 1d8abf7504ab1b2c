#!/usr/bin/env bash
# The documentation: links lead somewhere, C++ excerpts are code of examples/, commands run and print what the pages
# show, and the pages are as short as they promise to be.
. "$(dirname "$0")/common.bash"
pages=$(git ls-files '*.md' 2>/dev/null || find . -name '*.md' -not -path './build/*')

# The anchors of a page, made from its headings as hosting sites do.
anchors() {
    grep -E '^#+ ' "$1" | sed -E 's/^#+ //' | tr '[:upper:]' '[:lower:]' | sed -E "s/[^a-z0-9 _-]//g; s/ /-/g"
}
broken=""
for page in $pages; do
    while read -r link; do
        file=${link%%#*} anchor=""
        [[ $link == *#* ]] && anchor=${link#*#}
        target=$page
        [ -n "$file" ] && target=$(dirname "$page")/$file
        if [ ! -e "$target" ]; then
            broken+=$'\n'"# $page: $link"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "$anchor"; then
            broken+=$'\n'"# $page: $link"
        fi
    done < <(awk '/^```/ { code = !code } !code' "$page" | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:')
done
if [ -z "$broken" ]; then echo "ok links of the documentation"; else echo "not ok links of the documentation$broken"; fi

# Files that the map of the sources names.
missing=""
for path in $(grep -ohE '`(src|include|tests|studies|web|fuzz|scripts|bench|examples)/[A-Za-z0-9_./*-]+`' HACKING.md CONTRIBUTING.md docs/architecture.md | tr -d '`' | sort -u); do
    ls -d $path >"$work/found" 2>&1 || missing+=" $path"
done
if [ -z "$missing" ]; then echo "ok files named in HACKING.md"; else echo "not ok files named in HACKING.md: there is no$missing"; fi

# Every ```cpp block of a page, as one line, must occur in one example, as one line.
flat() { tr '\n' '\v' <"$1"; }
for page in README.md docs/library.md; do
    rm -f "$work"/block.*
    awk -v prefix="$work/block." '/^```cpp$/ { inside = 1; ++n; next } /^```$/ { inside = 0 } inside { print > (prefix n) }' "$page"
    unknown=0
    for block in "$work"/block.*; do
        found=no
        for example in examples/*.cpp; do
            [[ $(flat "$example") == *"$(flat "$block")"* ]] && found=yes
        done
        [ $found = yes ] || { unknown=$((unknown + 1)); head -n 3 "$block" | sed 's/^/# /'; }
    done
    if [ $unknown = 0 ]; then echo "ok excerpts of $page"; else echo "not ok excerpts of $page: $unknown are not in examples/"; fi
done

# Commands and their output. tests/package does the same for docs/library.md, whose programs it builds.
for page in README.md docs/*.md docs/concepts/*.md; do
    if [ "$page" != docs/library.md ] && grep -qE '^```(console|sh)$' "$page"; then echo "$page"; fi
done | xargs -P "${JOBS:-2}" -n 4 scripts/docs-output.sh

# Words that the style in CONTRIBUTING.md rules out, in pages, sources, tests and scripts. This file lists them.
ruled_out='somebody|everybody|anybody|nobody|nobodys|whoever|goes on|gone on|told|in charge|bears on|stand-in|roster'
texts=$(git ls-files README.md HACKING.md CHANGELOG.md CMakeLists.txt docs examples src include tests bench studies scripts cmake fuzz/'*.?pp' web/src 2>/dev/null |
    grep -vxF tests/cli/docs.sh)
[ -n "$texts" ] || texts=$(find README.md HACKING.md CHANGELOG.md docs examples src include tests bench studies scripts web/src -type f ! -path tests/cli/docs.sh)
person=$(tr '\n' '\0' <<<"$texts" | xargs -0 grep -InwiE "$ruled_out" | cut -c 1-120)
if [ -z "$person" ]; then echo "ok language of pages and sources"; else printf 'not ok language of pages and sources\n%s\n' "$(sed 's/^/# /' <<<"$person")"; fi

# Length: a page that grows takes words from another one.
lines=$(wc -l <README.md)
if [ "$lines" -le 150 ]; then echo "ok README.md has $lines lines"; else echo "not ok README.md has $lines lines; at most 150"; fi
words=$(cat README.md HACKING.md CONTRIBUTING.md CHANGELOG.md $(find docs -name '*.md') | wc -w)
if [ "$words" -le 45000 ]; then echo "ok the documentation has $words words"; else echo "not ok the documentation has $words words; at most 45000"; fi
