#!/usr/bin/env bash
# Is the installed package usable? Installs the release build (an archive) and a build of the library alone (shared)
# into empty prefixes. Builds against each of them with find_package and with pkg-config, and looks at what is
# linked and at every installed header. Then it runs the examples, and lets the installed program learn with a
# plugin.
set -uo pipefail
cd "$(dirname "$0")/../.."
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
most_headers=70

step() {
    local name=$1
    shift
    if "$@" >"$temporary/said" 2>&1; then
        echo "ok package $name"
    else
        echo "not ok package $name"
        tail -n 30 "$temporary/said" | sed 's/^/# /'
        return 1
    fi
}

# Not optimised: whether programs build and run is all that is asked.
configure() { cmake -G Ninja -DCMAKE_BUILD_TYPE=None "$@"; }
build() { cmake --build "$1" -j "${JOBS:-2}"; }

# needed FILE: the libraries a program or library asks the loader for.
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
# links_only FILE PATTERN: it asks for the C and C++ libraries and for those that match, and for nothing else.
links_only() {
    local others
    others=$(needed "$1" | grep -vE "^(libstdc\+\+|libm|libgcc_s|libc|ld-linux.*)\.so|$2")
    [ -z "$others" ] || { echo "$1 needs $others"; return 1; }
}
numeric='^lib(fmt|tbb|crypto|z|expat)\.so'

# with_pkg_config PREFIX OUT OPTION...
with_pkg_config() {
    local prefix=$1 out=$2 flags
    shift 2
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name proxstream.pc)") pkg-config --cflags --libs "$@" proxstream) || return 1
    # shellcheck disable=SC2086 # flags are words
    g++ -std=c++20 -o "$out" tests/package/consumer.cpp $flags
}

# consumers KIND PREFIX LINKED [OPTION...]: find_package (with CMake's options) and pkg-config, built, run and looked at.
consumers() {
    local kind=$1 prefix=$2 linked=$3 library
    shift 3
    library=$(dirname "$(find "$prefix" -name 'libproxstream.*' | head -n 1)")
    step "$kind: find_package finds it" configure -S tests/package -B "$temporary/$kind" -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
        step "$kind: a program builds" build "$temporary/$kind" &&
        step "$kind: the program runs" "$temporary/$kind/consumer" &&
        step "$kind: the program links nothing else" links_only "$temporary/$kind/consumer" "$linked"
    local static=()
    [ "$kind" = static ] && static=(--static)
    step "$kind: a program builds with pkg-config" with_pkg_config "$prefix" "$temporary/$kind-pc" "${static[@]}" &&
        step "$kind: that program runs" env LD_LIBRARY_PATH="$library" "$temporary/$kind-pc"
}

# The archive, from the release build.
prefix=$temporary/static-prefix
step "static: installs" cmake --install build/release --prefix "$prefix" || exit 1
consumers static "$prefix" "$numeric"
step "the program links nothing unexpected" links_only "$prefix/bin/proxstream" "$numeric|^lib(sqlite3|microhttpd|tomlplusplus)\.so"

# The library alone, shared. It is built without looking for what only the program needs, and kept for the next time.
# That compiles all of it once more, so it is left to test-long; PROXSTREAM_LONG=1 asks for it by hand.
if [ -n "${PROXSTREAM_LONG:-}" ]; then
    unwanted=(-DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON -DCMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON
        -DMICROHTTPD_LIBRARY=not-looked-for -DCLI11_INCLUDE=not-looked-for)
    shared=$temporary/shared-prefix
    step "shared: configures without the program's libraries" configure -S . -B build/shared -DBUILD_SHARED_LIBS=ON -DPROXSTREAM_UNITY=ON -DCMAKE_CXX_FLAGS=-O1 \
        -DPROXSTREAM_PROGRAM=OFF -DPROXSTREAM_TESTS=OFF -DPROXSTREAM_WEB=OFF "${unwanted[@]}" &&
        step "shared: builds" build build/shared &&
        step "shared: installs" cmake --install build/shared --prefix "$shared" &&
        step "shared: the library links nothing else" links_only "$(find "$shared" -name 'libproxstream.so')" "$numeric" &&
        consumers shared "$shared" '^libproxstream\.so\.0\.1$' -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON
else
    echo "skip package shared library: make test-long"
fi

# The headers: few, and each of them usable without any other and without the source tree.
mapfile -t headers < <(cd "$prefix/include" && find proxstream -name '*.hpp' | sort)
if [ ${#headers[@]} -le $most_headers ]; then
    echo "ok package ${#headers[@]} headers are installed, at most $most_headers"
else
    echo "not ok package ${#headers[@]} headers are installed; at most $most_headers"
fi
if [ -n "${PROXSTREAM_LONG:-}" ]; then
    compile_alone() {
        printf '#include <%s>\n#include <%s>\n' "$2" "$2" |
            g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wno-pragma-once-outside-header -I"$1/include" -x c++ - || echo "$2 does not compile alone"
    }
    export -f compile_alone
    alone=$(printf '%s\n' "${headers[@]}" | xargs -P "${JOBS:-2}" -I{} bash -c 'compile_alone "$1" "$2"' alone "$prefix" {} 2>&1)
    if [ -z "$alone" ]; then
        echo "ok package every installed header compiles alone"
    else
        printf 'not ok package every installed header compiles alone\n%s\n' "$(printf '%s\n' "$alone" | head -n 30 | sed 's/^/# /')"
    fi
else
    echo "skip package every installed header compiles alone: make test-long"
fi
# Nothing of the source tree may be needed by, or named in, what was installed.
if grep -rqF "$PWD" "$prefix/lib" "$prefix/include" --include='*.cmake' --include='*.hpp' --include='*.pc'; then
    echo "not ok package installed files do not point back into the source tree"
else
    echo "ok package installed files do not point back into the source tree"
fi

# The examples, and the output that docs/library.md shows of them.
program=$prefix/bin/proxstream
step "examples configure" configure -S examples -B "$temporary/build" -DCMAKE_PREFIX_PATH="$prefix" &&
    step "examples build" build "$temporary/build"
for source in examples/*.cpp; do
    name=$(basename "$source" .cpp)
    step "example $name runs" "$temporary/build/$name"
done
PROXSTREAM=$program EXAMPLES=$temporary/build scripts/docs-output.sh docs/library.md

# The plugin: its names work everywhere, a killed run resumes with it, and says what is missing without it.
plugin=$temporary/plugin/plugin.so
step "plugin configures" configure -S examples/plugin -B "$temporary/plugin" -DCMAKE_PREFIX_PATH="$prefix" &&
    step "plugin builds" build "$temporary/plugin" || exit 1
# says PATTERN COMMAND...: whatever its exit status.
says() {
    local pattern=$1 said
    shift
    said=$("$@" 2>&1)
    grep -E -- "$pattern" <<<"$said" || { echo "$said"; return 1; }
}
awk 'BEGIN { srand(3); print "a,b,c,y"
             for (i = 0; i < 60000; ++i) { a = rand() - .5; b = rand() - .5; print a "," b "," rand() - .5 "," 2*a - b + i/20000 + (rand()-.5)/5 } }' >"$temporary/rows.csv"
run=(learn "$temporary/rows.csv" --label y --loss pseudo-huber:0.5 --reg signed-l1:0.01,0.02 --quiet)
step "plugin: its names are listed" says 'signed-l1:0.1,0.3' "$program" --plugin "$plugin" list regularisers
step "plugin: the environment names it too" env PROXSTREAM_PLUGINS="$plugin:$plugin" bash -c "'$program' list losses | grep -q pseudo-huber"
step "plugin: near names are suggested" says "did you mean 'pseudo-huber'" "$program" learn "$temporary/rows.csv" --label y --loss pseudo-hubre --plugin "$plugin"
step "plugin: arguments are checked" says 'up = -1' "$program" learn "$temporary/rows.csv" --label y --reg signed-l1:-1,0 --plugin="$plugin"
# plugin_of NAME SOURCE: a shared object of one source text.
plugin_of() { g++ -std=c++20 -shared -fPIC -I"$prefix/include" -o "$temporary/$1.so" -x c++ - <<<"$2"; }
plugin_of nothing 'int unused;'
step "plugin: one that registers nothing is refused" says 'registers nothing' "$program" --plugin "$temporary/nothing.so" list
plugin_of taken '#include <proxstream/registry.hpp>
extern "C" void proxstream_register() {
    proxstream::register_regulariser("l1", "l1", "", [](const proxstream::Spec&) { return proxstream::parse_regulariser("zero"); });
}'
step "plugin: a name that is taken is refused" says "'l1' exists already" "$program" --plugin "$temporary/taken.so" list
plugin_of early '#include <proxstream/registry.hpp>
const bool registered = [] {
    proxstream::register_regulariser("early", "early", "from a static initialiser", [](const proxstream::Spec&) { return proxstream::parse_regulariser("nuclear:1,rows=2,cols=2"); });
    return true;
}();'
step "plugin: static initialisers may register" says 'from a static initialiser' "$program" --plugin "$temporary/early.so" list regularisers
step "plugin: a run" "$program" --plugin "$plugin" "${run[@]}" --store "$temporary/whole.run"
"$program" --plugin "$plugin" "${run[@]}" --store "$temporary/killed.run" >/dev/null 2>&1 &
victim=$!
for _ in $(seq 500); do
    [ -s "$temporary/killed.run" ] && break
    sleep 0.01
done
sleep 0.2
kill -9 $victim 2>/dev/null
wait $victim 2>/dev/null
killed_half_way() { ! "$program" export "$temporary/killed.run" --what ledger | tail -n 1 | grep -q '^{"end":"finished"'; }
step "plugin: the run was killed before its end" killed_half_way
step "plugin: without it the run is refused, and says why" says "unknown loss 'pseudo-huber'.*--plugin" "$program" resume "$temporary/killed.run"
step "plugin: the run resumes" "$program" --plugin "$plugin" resume "$temporary/killed.run" --quiet
same_ledgers() {
    local each
    for each in whole killed; do
        "$program" export "$temporary/$each.run" --what ledger | sed -E '/^\{"end":/ { s/"seconds":[^,}]*//g; s/"h":"[^"]*"// }' >"$temporary/$each.jsonl"
    done
    cmp "$temporary/whole.jsonl" "$temporary/killed.jsonl"
}
step "plugin: its ledger is that of the run that was not killed" same_ledgers
step "plugin: the ledger is certified without it" "$program" certify "$temporary/killed.run"
