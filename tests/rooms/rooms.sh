#!/usr/bin/env bash
# One check: rooms include only what their table (rooms.txt) allows, and public headers only public headers and the
# standard library. It starts with a self-test: each kind of violation must be found. With PROXSTREAM_LONG=1 a
# second check compiles every header on its own.
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=tests/rooms
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
problems=$temporary/problems
: >"$problems"

violations() {
    awk -v table="$folder/rooms.txt" -f "$folder/check_includes.awk" "$folder/rooms.txt" "$@"
}

# verdict NAME: "ok" if no problem was written down, else "not ok" with all of them.
verdict() {
    if [ ! -s "$problems" ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/# /' "$problems"
    fi
}

# must_catch NAME PATH LINE EXPECTED: a source at PATH with that LINE must be reported as EXPECTED.
must_catch() {
    local file=$temporary/$2 said
    mkdir -p "$(dirname "$file")"
    printf '#pragma once\n%s\n' "$3" >"$file"
    said=$(violations "$file")
    [[ $said == "$file:2: $4" ]] || echo "self-test: $1 was not found; reported: $said" >>"$problems"
}
must_catch "an upward include" include/proxstream/core/bad.hpp '#include "proxstream/prox/box.hpp"' \
    "core may not include prox"
must_catch "the referee includes the player" src/regret/bad.cpp '#include "online/learner.hpp"' \
    "regret may not include online"
must_catch "an unknown room" src/run/bad.cpp '# include "attic/old.hpp"' "'attic' is not a room of the table"
must_catch "a room that includes the front door" src/online/bad.cpp '#include "proxstream/registry.hpp"' \
    "online may not include front"
must_catch "a private header upward" src/prox/bad.cpp '#include "run/reader.hpp"' "prox may not include run"
must_catch "a path that climbs" src/prox/climb.cpp '#include "../bad.hpp"' "'../bad.hpp' climbs out of its folder"
must_catch "a public header that includes a private one" include/proxstream/online/bad.hpp '#include "online/learner.hpp"' \
    "a public header includes 'online/learner.hpp', which is private"
must_catch "a private header named as a public one" src/online/bad.hpp '#include "proxstream/online/learner.hpp"' \
    "there is no public header 'proxstream/online/learner.hpp'"
must_catch "a third-party header" include/proxstream/loss/bad.hpp '#include <Eigen/Dense>' \
    "a public header includes <Eigen/Dense>"
must_catch "a C library header" include/proxstream/prox/bad.hpp '#include <zlib.h>' "a public header includes <zlib.h>"

for room in $(awk -F: '!/^#/ && NF {print $1}' "$folder/rooms.txt"); do
    sources=$(
        find "include/proxstream/$room" "src/$room" -type f 2>/dev/null
        [ "$room" = front ] && find include/proxstream -maxdepth 1 -type f
        [ "$room" = studies ] && find studies -type f
    )
    # shellcheck disable=SC2086 # our file names have no spaces
    if [ -z "$sources" ]; then echo "the room $room is empty" >>"$problems"; else violations $sources >>"$problems"; fi
done
find include/proxstream src -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort -u |
    grep -vxFf <(awk -F: '!/^#/ && NF {print $1}' "$folder/rooms.txt") | sed 's/$/ is not in the table/' >>"$problems"
verdict "rooms: includes follow the table"

if [ "${PROXSTREAM_LONG:-}" != 1 ]; then
    echo "skip rooms: headers compile alone (make test-long)"
    exit 0
fi
# A header that its own source includes first was compiled alone there. The others are compiled here, twice in one
# unit, so that a missing include guard shows as well.
compile_alone() {
    local name=${1#include/} said source
    name=${name#src/}
    source=src/${name#proxstream/}
    source=${source%.hpp}.cpp
    [ -e "$source" ] && [ "$(grep -m 1 '^#' "$source")" = "#include \"$name\"" ] && return
    said=$(printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
        c++ -std=c++20 -fsyntax-only -Wall -Wextra -Iinclude -Isrc -I. -isystem /usr/include/eigen3 -x c++ - 2>&1) ||
        printf '%s\n%s\n' "$1" "$(head -n 20 <<<"$said")"
}
export -f compile_alone
find include src studies -name '*.hpp' | sort | xargs -P "${JOBS:-2}" -I{} bash -c 'compile_alone "$1"' alone {} >"$problems"
verdict "rooms: headers compile alone"
