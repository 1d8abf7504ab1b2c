#!/usr/bin/env bash
# The documentation: links lead somewhere, C++ excerpts are code of examples/, and the tutorial's commands run.
. "$(dirname "$0")/common.bash"
pages=$(git ls-files '*.md' 2>/dev/null || find . -name '*.md' -not -path './build/*')

# The anchors of a page, made from its headings as hosting sites do.
anchors() {
    grep -E '^#+ ' "$1" | sed -E 's/^#+ //' | tr '[:upper:]' '[:lower:]' | sed -E "s/[^a-z0-9 _-]//g; s/ /-/g"
}
for page in $pages; do
    broken=""
    while read -r link; do
        file=${link%%#*} anchor=""
        [[ $link == *#* ]] && anchor=${link#*#}
        target=$page
        [ -n "$file" ] && target=$(dirname "$page")/$file
        if [ ! -e "$target" ]; then
            broken+=" $link"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "$anchor"; then
            broken+=" $link"
        fi
    done < <(awk '/^```/ { code = !code } !code' "$page" | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:')
    if [ -z "$broken" ]; then echo "ok links of $page"; else echo "not ok links of $page:$broken"; fi
done

# Every ```cpp block of a page, as one line, must occur in one example, as one line.
flat() { tr '\n' '\v' <"$1"; }
for page in README.md docs/tutorial.md; do
    rm -f "$work"/block.*
    awk -v prefix="$work/block." '/^```cpp$/ { inside = 1; ++n; next } /^```$/ { inside = 0 } inside { print > (prefix n) }' "$page"
    strange=0
    for block in "$work"/block.*; do
        found=no
        for example in examples/*.cpp; do
            [[ $(flat "$example") == *"$(flat "$block")"* ]] && found=yes
        done
        [ $found = yes ] || { strange=$((strange + 1)); head -n 3 "$block" | sed 's/^/# /'; }
    done
    if [ $strange = 0 ]; then echo "ok excerpts of $page"; else echo "not ok excerpts of $page: $strange are not in examples/"; fi
done

# The tutorial's commands, in their order, in an empty folder.
root=$PWD
mkdir "$work/tour" "$work/bin"
ln -s "$PROXSTREAM" "$work/bin/proxstream"
ln -s "$root/examples" "$work/tour/examples"
awk '/^```toml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/tutorial.md >"$work/tour/demand.toml"
{
    echo 'set -e'
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/tutorial.md
} >"$work/tour.sh"
check "the tutorial's commands run" env -C "$work/tour" PATH="$work/bin:$PATH" bash "$work/tour.sh"
