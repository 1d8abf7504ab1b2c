#!/usr/bin/env bash
# Do the rooms keep to their table (rooms.txt), do public headers need the standard library alone, and, with
# PROXSTREAM_LONG=1, does every header compile on its own? Begins by showing that each kind of violation is caught.
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=tests/rooms
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

violations() {
    awk -v table="$folder/rooms.txt" -f "$folder/check_includes.awk" "$folder/rooms.txt" "$@"
}

# must_catch NAME PATH LINE EXPECTED: a source at PATH with that LINE has to be refused.
must_catch() {
    local file=$temporary/$2 said
    mkdir -p "$(dirname "$file")"
    printf '#pragma once\n%s\n' "$3" >"$file"
    said=$(violations "$file")
    if [[ $said == "$file:2: $4" ]]; then
        echo "ok rooms self-test: $1"
    else
        printf 'not ok rooms self-test: %s\n# said: %s\n' "$1" "$said"
    fi
}
must_catch "an upward include" include/proxstream/core/bad.hpp '#include "proxstream/online/learner.hpp"' \
    "core may not include online"
must_catch "the referee looks at the player" src/regret/bad.cpp '#include "proxstream/online/learner.hpp"' \
    "regret may not include online"
must_catch "an unknown room" src/run/bad.cpp '# include "proxstream/attic/old.hpp"' "'attic' is not a room of the table"
must_catch "a private header upward" src/prox/bad.cpp '#include "run/reader.hpp"' "prox may not include run"
must_catch "a path that climbs" src/prox/climb.cpp '#include "../bad.hpp"' "'../bad.hpp' climbs out of its folder"
must_catch "a third-party header" include/proxstream/loss/bad.hpp '#include <Eigen/Dense>' \
    "a public header includes <Eigen/Dense>"
must_catch "a C library header" include/proxstream/run/bad.hpp '#include <zlib.h>' "a public header includes <zlib.h>"

for room in $(awk -F: '!/^#/ && NF {print $1}' "$folder/rooms.txt"); do
    sources=$(find "include/proxstream/$room" "src/$room" -type f 2>/dev/null)
    # Headers outside every room are the front door's.
    [ "$room" = front ] && sources+=" $(find include/proxstream -maxdepth 1 -type f)"
    if [ -z "$sources" ]; then
        echo "skip rooms $room the room is empty"
        continue
    fi
    # shellcheck disable=SC2086 # our file names have no spaces
    said=$(violations $sources)
    if [ -z "$said" ]; then
        echo "ok rooms $room keeps to the table"
    else
        echo "not ok rooms $room keeps to the table"
        printf '%s\n' "$said" | sed 's/^/# /'
    fi
done
strangers=$(find include/proxstream src -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort -u |
    grep -vxFf <(awk -F: '!/^#/ && NF {print $1}' "$folder/rooms.txt"))
if [ -z "$strangers" ]; then echo "ok rooms the table names every room"; else echo "not ok rooms not in the table: $strangers"; fi

# A header that its own source includes before all else was compiled alone there. The others are compiled
# here, twice over, so that a missing include guard shows as well.
compile_alone() {
    local name=${1#include/} said source
    name=${name#src/}
    source=src/${name#proxstream/}
    source=${source%.hpp}.cpp
    if [ -e "$source" ] && [ "$(grep -m 1 '^#' "$source")" = "#include \"$name\"" ]; then
        echo "ok header $1 opens its own source"
    elif said=$(printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
        c++ -std=c++20 -fsyntax-only -Wall -Wextra -Iinclude -Isrc -isystem /usr/include/eigen3 -x c++ - 2>&1); then
        echo "ok header $1 compiles alone"
    else
        printf 'not ok header %s compiles alone\n%s\n' "$1" "$(printf '%s\n' "$said" | head -n 20 | sed 's/^/# /')"
    fi
}
export -f compile_alone
if [ "${PROXSTREAM_LONG:-}" != 1 ]; then
    echo "skip rooms headers compiled alone: make test-long"
    exit 0
fi
find include src -name '*.hpp' | sort | xargs -P "${JOBS:-2}" -I{} bash -c 'compile_alone "$1"' alone {}
