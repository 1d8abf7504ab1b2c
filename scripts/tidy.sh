#!/usr/bin/env bash
# Lints every source with clang-tidy: one line "ok" or "not ok", then the findings. First it checks that the filter
# of .clang-tidy matches our headers and the files of a unit, because a filter that matches nothing passes everything.
#   scripts/tidy.sh [--analyse] [--each] [FILE...]
# Without FILEs the sources of a folder are linted together, as one unit, because clang-tidy spends most of its time
# on what they include. With --each or FILEs, sources are linted one by one.
set -uo pipefail
cd "$(dirname "$0")/.."
analyse=no each=no
while [[ ${1:-} == --* ]]; do
    case $1 in
    --analyse) analyse=yes ;;
    --each) each=yes ;;
    *) echo "tidy.sh: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done
# A unit consists of #include "x.cpp", which this check would report.
checks=-bugprone-suspicious-include
[ $analyse = yes ] && checks="clang-analyzer-*,-clang-analyzer-optin.*,$checks"
export checks
mkdir -p build
cmake --preset tidy >build/tidy.log 2>&1 || { tail -n 20 build/tidy.log; exit 1; }
status=0

probe=build/tidy/filter-probe
mkdir -p "$probe/include/proxstream/core" "$probe/src/core"
echo 'inline int BadlyNamed() { return 0; }' >"$probe/include/proxstream/core/probe.hpp"
echo 'int BadlyNamedToo() { return 0; }' >"$probe/src/core/probe.cpp"
printf '#include "proxstream/core/probe.hpp"\n#include "src/core/probe.cpp"\nint main() { return BadlyNamed() + BadlyNamedToo(); }\n' >"$probe/unit.cpp"
said=$(clang-tidy --quiet --config-file=.clang-tidy "$probe/unit.cpp" -- -std=c++20 -I"$PWD/$probe/include" -I"$PWD/$probe" 2>/dev/null)
for wanted in "header probe.hpp:1:12 BadlyNamed" "unit probe.cpp:1:5 BadlyNamedToo"; do
    read -r kind place name <<<"$wanted"
    if [[ $said == *"$place: error: invalid case style for function '$name'"* ]]; then
        echo "ok tidy filter reports a bad file: $kind"
    else
        echo "not ok tidy filter: a bad file went unreported: $kind"
        printf '%s\n' "$said" | sed 's/^/# /'
        status=1
    fi
done

lint() {
    local file=$1 out=build/tidy/report/${1//\//+}
    # Without a compile command clang-tidy would guess the flags, and the file would not really be checked.
    if ! grep -q "\"file\": \".*/$file\"" build/tidy/compile_commands.json; then
        printf 'not ok tidy %s\n# no compile command: is it in a folder that CMake globs?\n' "$file" >"$out"
    elif clang-tidy --quiet -p build/tidy --checks="$checks" "$file" >"$out.said" 2>&1; then
        echo "ok tidy $file" >"$out"
    else
        { echo "not ok tidy $file"; grep -v 'warnings generated' "$out.said" | head -n 60 | sed 's/^/# /'; } >"$out"
    fi
    rm -f "$out.said"
}

# clang-tidy finds unused using-declarations and aliases only in the file it is called with, not in the files of a unit.
# This finds names that are declared in a file and do not occur again.
find_unused() {
    awk '{ text[++n] = $0 }
         match($0, /^ *using [A-Za-z_0-9:]+::[A-Za-z_0-9]+;/) { name = $0; sub(/;.*/, "", name); sub(/.*::/, "", name); at[n] = name }
         match($0, /^ *namespace [a-z_0-9]+ = /) { name = $0; sub(/ = .*/, "", name); sub(/.* /, "", name); at[n] = name }
         END {
             for (line in at) {
                 used = 0
                 for (i = 1; i <= n && !used; ++i) {
                     rest = text[i]; sub(/\/\/.*/, "", rest)
                     if (i != line && match(" " rest " ", "[^A-Za-z_0-9]" at[line] "[^A-Za-z_0-9]")) used = 1
                 }
                 if (!used) print FILENAME ":" line ":1: error: " at[line] " is declared and never used"
             }
         }' "$1"
}

# lint_unit NAME: lints the files listed in units/NAME together, and reports findings by file. If they do not compile
# together, they are linted one by one. g++ finds shadowing, because clang counts types and enumerators too,
# and would report those of other files of the unit.
lint_unit() {
    local list=build/tidy/units/$1 file out said
    said=$list.said
    clang-tidy --quiet -p build/tidy/units --checks="$checks" --extra-arg=-Wno-shadow "$list.cpp" >"$said" 2>&1
    local failed=$?
    if grep -q 'clang-diagnostic-error' "$said"; then
        while read -r file; do lint "$file"; done <"$list"
        return
    fi
    while read -r file; do find_unused "$file"; done <"$list" >"$said.unused"
    cat "$said.unused" >>"$said"
    sed -i "s|$PWD/||" "$said"
    {
        cat "$list"
        sed -n 's/^\([^ :]*\.[ch]pp\):[0-9]*:[0-9]*: .*/\1/p' "$said" | grep -v ^build/ | grep -vxFf "$list"
    } | sort -u | while read -r file; do
        out=build/tidy/report/${file//\//+}
        if grep -qE "^$file:[0-9]+:[0-9]+: (error|warning): " "$said"; then
            { echo "not ok tidy $file"; grep -F -A 4 "$file:" "$said" | head -n 60 | sed 's/^/# /'; } >"$out"
        else
            [ -e "$out" ] || echo "ok tidy $file" >"$out"
        fi
    done
    if [ $failed != 0 ] && ! grep -qE '^[^ :]+:[0-9]+:[0-9]+: (error|warning): ' "$said"; then
        { echo "not ok tidy unit $1: clang-tidy ended with status $failed"; tail -n 20 "$said" | sed 's/^/# /'; } >"build/tidy/report/$1"
    fi
}

# Makes a unit of each folder's sources, without programs of their own, with the compile command of the first source.
# Prints the name of each unit.
make_units() {
    local folder name first
    rm -rf build/tidy/units
    mkdir -p build/tidy/units
    echo '[' >build/tidy/units/compile_commands.json
    for folder in $(printf '%s\n' "$@" | sed 's|/[^/]*$||' | sort -u); do
        name=${folder//\//+}
        printf '%s\n' "$@" | awk -v folder="$folder" '{ at = $0; sub(/\/[^\/]*$/, "", at) } at == folder' |
            xargs grep -LE '^int main\(' >"build/tidy/units/$name"
        first=$(head -n 1 "build/tidy/units/$name")
        [ -n "$first" ] || continue
        grep -q "\"file\": \".*/$first\"" build/tidy/compile_commands.json || continue
        sed "s|.*|#include \"$PWD/&\"|" "build/tidy/units/$name" >"build/tidy/units/$name.cpp"
        awk -v file="$PWD/$first" -v unit="$PWD/build/tidy/units/$name.cpp" '
            /^{/ { n = 0 } { entry[++n] = $0 }
            /^}/ {
                for (i = 1; i <= n; ++i) found = found || index(entry[i], "\"file\": \"" file "\"")
                if (!found) next
                for (i = 1; i <= n; ++i) {
                    while (at = index(entry[i], file))
                        entry[i] = substr(entry[i], 1, at - 1) unit substr(entry[i], at + length(file))
                    if (entry[i] ~ /^}/) entry[i] = "},"
                    print entry[i]
                }
                exit
            }' build/tidy/compile_commands.json >>build/tidy/units/compile_commands.json
        echo "$name"
    done
    sed -i '$ s/,$//' build/tidy/units/compile_commands.json
    echo ']' >>build/tidy/units/compile_commands.json
}

export -f lint lint_unit find_unused
rm -rf build/tidy/report
mkdir -p build/tidy/report
if [ $# -gt 0 ]; then
    sources=("$@")
else
    # Fuzz targets are compiled by clang with libFuzzer, in a build of their own; the consumer of the package against an
    # installed tree.
    mapfile -t sources < <(scripts/sources.sh .cpp | grep -vE '^(fuzz|tests/package)/')
fi
if [ $# -gt 0 ] || [ $each = yes ]; then
    printf '%s\n' "${sources[@]}" | xargs -P "${JOBS:-2}" -I{} bash -c 'lint {}'
else
    # The largest first, so that no core is left with it at the end.
    mapfile -t units < <(make_units "${sources[@]}" | while read -r unit; do
        echo "$(xargs cat <"build/tidy/units/$unit" | wc -c) $unit"
    done | sort -rn | cut -d' ' -f2)
    printf '%s\n' "${sources[@]}" | grep -vxFf <(cd build/tidy/units && cat "${units[@]}") >build/tidy/single
    { printf 'lint_unit %s\n' "${units[@]}"; sed 's/^/lint /' build/tidy/single; } |
        xargs -P "${JOBS:-2}" -I{} bash -c '{}'
fi
# A source without a report was not linted.
for file in "${sources[@]}"; do
    [ -s "build/tidy/report/${file//\//+}" ] || echo "not ok tidy $file: was not linted" >"build/tidy/report/${file//\//+}"
done
if grep -q '^not ok ' build/tidy/report/*; then
    echo "not ok tidy: $(cat build/tidy/report/* | grep -c '^not ok ') of ${#sources[@]} sources have findings"
    cat build/tidy/report/* | grep -v '^ok ' | sed 's/^not ok /# /'
    status=1
else
    echo "ok tidy: ${#sources[@]} sources"
fi
exit $status
