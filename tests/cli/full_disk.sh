#!/usr/bin/env bash
# A full disk: results are rescued under names of their own, and what a fork leaves does not block its name.
# The disk is a small file system in memory, mounted where no other process sees it.
if [ -z "${FULL_DISK:-}" ] && unshare -m true 2>/dev/null; then FULL_DISK=1 exec unshare -m bash "$0" "$@"; fi
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1
mkdir disk temporary
if ! mount -t tmpfs -o size=1m none disk 2>/dev/null; then
    echo "skip a full disk: a small file system cannot be mounted here"
    exit 0
fi
trap 'umount "$work/disk"; rm -rf "$work"' EXIT
fill() { head -c 2M /dev/zero >disk/filler 2>/dev/null; }
{ echo a,b,y; for i in $(seq 200); do echo "$((i % 7)),$((i % 5)),$((i % 11))"; done; } >rows.csv
echo untouched >victim

# save NAME THING COMMAND...: the command cannot write disk/m.json.
save() {
    local name=$1 thing=$2
    shift 2
    rm -f temporary/*
    ln -s "$work/victim" "temporary/proxstream-rescued-$thing.json"
    for _ in 1 2; do TMPDIR=$work/temporary run "$@" --save disk/m.json; done
    expect "$name rescues its result from a full disk" 5 'disk/m.json: .*No space left' \
        "temporary/proxstream-$thing-......\.json: has the $thing instead"
    check "$name rescues each result in a file of its own" test "$(ls temporary/proxstream-"$thing"-??????.json | wc -l)" = 2
    check "$name rescues for the user alone" test "$(stat -c %a temporary/proxstream-"$thing"-??????.json | sort -u)" = 600
    check "$name writes through no link" test "$(<victim)" = untouched
    TMPDIR=$work/disk run "$@" --save disk/m.json
    expect "$name names both reasons if the rescue fails too" 5 'disk/m.json: .*No space left' \
        'disk/proxstream-.*: .*No space left'
    check "$name leaves no empty rescue" test -z "$(compgen -G 'disk/proxstream-*')"
    TMPDIR=$work/nowhere run "$@" --save disk/m.json
    expect "$name names a temporary folder that is missing" 5 'disk/m.json: .*No space left' 'TMPDIR'
}

fill
save learn model learn rows.csv --window 8 --quiet
save fit model fit rows.csv --quiet
run predict -q "$(compgen -G 'temporary/proxstream-model-??????.json' | head -1)" rows.csv
expect "a rescued model is whole" 0
save play strategies play rps --rounds 20 --quiet

# A fork that has no room names itself, leaves nothing, and works when there is room.
rm -f disk/*
run learn rows.csv --window 8 --quiet --store parent.run --keep all
head -c 950k /dev/zero >disk/filler
for options in "" "--tolerance 0.01"; do
    # shellcheck disable=SC2086
    run fork parent.run disk/child.run $options
    expect "a fork '$options' on a full disk names the fork" 5 'disk/child.run.*No space left'
    check "a failed fork '$options' leaves nothing" test "$(ls disk)" = filler
done
rm disk/filler
run fork parent.run disk/child.run
expect "a fork works when there is room" 0 'a copy of parent.run'

# A store without a run does not block its name.
fill
run learn rows.csv --window 8 --quiet --store disk/new.run
expect "a store that cannot be begun is named" 5 'disk/new.run: .*No space left'
rm disk/filler
run learn rows.csv --window 8 --quiet --store disk/new.run
expect "the same command works when there is room" 0
: >blank.run
run learn rows.csv --window 8 --quiet --store blank.run
expect "a store of 0 bytes is begun" 0
run show blank.run
expect "a begun store holds its run" 0
: >blank2.run
run fork parent.run blank2.run
expect "a fork takes the name of a store of 0 bytes" 0
run fork parent.run blank2.run
expect "a fork leaves a store with a run" 2 'blank2.run: the file exists'
run fork parent.run victim
expect "a fork leaves another file" 2 'victim: the file exists'
