#!/usr/bin/env bash
# Installs what is missing from the named groups of scripts/packages.txt. Says what and why before it does;
# says nothing and touches nothing when all is there.
#   scripts/setup.sh build [test] [docs] [lint] [fuzz] [bench]
set -euo pipefail
cd "$(dirname "$0")/.."

# The lines "package  reason" of the groups asked for.
wanted() {
    awk -v groups=" $* " '!/^#/ && NF >= 2 && index(groups, " " $1 " ") {
        package = $2; $1 = $2 = ""; sub(/^ +/, ""); printf "%-20s %s\n", package, $0
    }' scripts/packages.txt
}

# Node comes in packages of other names too, and some bring npm along; any browser of the family will do.
is_installed() {
    case $1 in
    nodejs) command -v node >/dev/null && return ;;
    npm) command -v npm >/dev/null && return ;;
    chromium-headless-shell) command -v chromium >/dev/null && return ;;
    esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# npm fetches too, once: what, is said here before it does.
announce_npm() {
    local page test
    page=$(wanted npm | grep -v '^typescript' | sed 's/^/  /')
    test=$(wanted npm | grep '^typescript' | sed 's/^/  /')
    case " $* " in *" build "*) [ -e build/web/site/node_modules/installed.mark ] && page="" ;; *) page="" ;; esac
    case " $* " in *" test "*) [ -e build/web/check/node_modules/installed.mark ] && test="" ;; *) test="" ;; esac
    [ -n "$page$test" ] || return 0
    echo "setup: npm packages will be fetched into build/web, in the versions and with the checksums of web/package-lock.json:"
    [ -z "$page" ] || echo "$page"
    [ -z "$test" ] || echo "$test"
    awk -F '"' '
        function finish() { if (name != "" && !skip) list = list (list == "" ? "" : ", ") name; name = "" }
        /^    "node_modules\// { finish(); name = substr($2, 14); skip = name ~ /^(uplot|vite)$/ }
        /"(dev|optional)": true/ { skip = 1 }
        END { finish(); print "  and what these need: " list ", programs of esbuild and rollup for this machine" }
    ' web/package-lock.json
}
announce_npm "$@"

list=$(wanted "$@")
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for tool in cmake ninja c++ node npm; do
        if ! command -v "$tool" >/dev/null; then
            {
                echo "setup: '$tool' is not here, and only Debian's packages are known to this script."
                echo "Please install these by your system's own means (names as in Debian 12), then try again:"
                echo "$list"
            } >&2
            exit 1
        fi
    done
    echo "setup: not a Debian system; if a library is missing, docs/building.md lists what is needed"
    exit 0
fi

missing=()
report=""
while read -r package reason; do
    if ! is_installed "$package"; then
        missing+=("$package")
        report+=$(printf '  %-20s %s' "$package" "$reason")$'\n'
    fi
done <<<"$list"
[ ${#missing[@]} -gt 0 ] || exit 0

echo "setup: proxstream needs ${#missing[@]} Debian package(s) that are not installed:"
printf '%s' "$report"

as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        {
            echo "setup: installing needs root, and there is no sudo here. As root, run:"
            echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
        } >&2
        exit 1
    fi
    as_root=(sudo)
fi

run_apt() {
    echo "setup: running ${as_root[*]:+${as_root[*]} }apt-get $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        echo "setup: apt-get failed (its last lines are above)" >&2
        exit 1
    }
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_apt update
run_apt install -y --no-install-recommends "${missing[@]}"
echo "setup: done"
