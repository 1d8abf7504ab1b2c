#!/usr/bin/env bash
# Is the installed package usable? Installs the release build into an empty prefix, builds examples/ against
# it with find_package(proxstream) alone, and runs every example.
set -uo pipefail
cd "$(dirname "$0")/../.."
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

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
step "installs" cmake --install build/release --prefix "$temporary/prefix" || exit 1
# Not optimised: whether they build and run is all that is asked.
step "examples configure against it" cmake -S examples -B "$temporary/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_PREFIX_PATH="$temporary/prefix" || exit 1
step "examples build" cmake --build "$temporary/build" -j "${JOBS:-2}" || exit 1
for source in examples/*.cpp; do
    name=$(basename "$source" .cpp)
    step "example $name runs" "$temporary/build/$name"
done
# Nothing of the source tree may be needed by, or named in, what was installed.
if grep -rqF "$PWD" "$temporary/prefix/lib" "$temporary/prefix/include" --include='*.cmake' --include='*.hpp'; then
    echo "not ok package installed files do not point back into the source tree"
else
    echo "ok package installed files do not point back into the source tree"
fi
