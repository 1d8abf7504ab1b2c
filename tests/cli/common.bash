# Helpers of the command-line tests. Each test prints one line: ok NAME, not ok NAME, or skip NAME: reason.
set -u
: "${PROXSTREAM:?the program to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${PROXSTREAM_DATA:-../shared/data}

# run ARGS...: runs the program; $out, $err and $status hold what it did.
run() {
    "$PROXSTREAM" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(<"$work/out")
    err=$(<"$work/err")
}

# expect NAME STATUS [PATTERN...]: the last run ended with STATUS and its output matches every pattern.
expect() {
    local name=$1 wanted=$2 pattern
    shift 2
    if [ "$status" != "$wanted" ]; then
        printf 'not ok %s: exit status %s, expected %s\n%s\n' "$name" "$status" "$wanted" "$err" | head -20
        return
    fi
    for pattern in "$@"; do
        if ! grep -qE -- "$pattern" "$work/out" "$work/err"; then
            printf 'not ok %s: nothing matches: %s\n%s\n%s\n' "$name" "$pattern" "$out" "$err" | head -40
            return
        fi
    done
    echo "ok $name"
}

# check NAME COMMAND...: the command succeeds.
check() {
    local name=$1
    shift
    if "$@" >"$work/check" 2>&1; then echo "ok $name"; else { echo "not ok $name"; head -20 "$work/check"; } fi
}

# Every line of a ledger but the footer's seconds, and its seal, which covers them.
account() { sed -E '$ { s/"seconds":[^,]*,//; s/"h":"[^"]*"// }' "$1"; }
same_ledger() { diff <(account "$1") <(account "$2") | cut -c1-200; cmp -s <(account "$1") <(account "$2"); }

# A small road network for route, as CSV: two ways from A to D, and a link across.
road_links() {
    cat <<'T'
from,to,capacity,free_time,b,power
A,B,10,1,0.15,4
B,D,9,1,0.15,4
A,C,8,1.2,0.15,4
C,D,7,1.2,0.15,4
B,C,5,0.5,0.15,4
D,A,9,1,0.15,4
T
}
