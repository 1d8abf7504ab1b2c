#!/usr/bin/env bash
# proxstream serve under load: many clients while it is killed and its disk is full; readers that do not read; large
# bodies; the end. Figures are printed, only correctness and a generous bound of memory are judged.
#   CLIENTS, POSTS, READERS, BODIES: how many, of a client the second; PROXSTREAM_LONG=1 chooses large numbers
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/service.bash"
clients=${CLIENTS:-$([ -n "${PROXSTREAM_LONG:-}" ] && echo 1000 || echo 50)}
posts=${POSTS:-$([ -n "${PROXSTREAM_LONG:-}" ] && echo 1000 || echo 100)}
readers=${READERS:-$([ -n "${PROXSTREAM_LONG:-}" ] && echo 2000 || echo 200)}
bodies=${BODIES:-20}
load=$(dirname "$PROXSTREAM")/tests/serve_load
if [ ! -x "$load" ]; then
    echo "skip serve under load: there is no $load in this build"
    exit
fi
ulimit -n "$(ulimit -H -n)"

cat >"$work/one.toml" <<'T'
[learner.main]
kind = "learn"
dimension = 2
window = 8
step = 0.05
tolerance = "0.01"
keep = "all"
T
# show FILE: its lines as remarks.
show() { sed 's/^/# /' "$1"; }
resident() { awk '/^VmHWM/ {print $2}' "/proc/$service/status"; }

# A disk of its own, which can be full; bytes: 2 KB a post and some to begin with.
disk=$work/disk
mkdir "$disk"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o "size=$((clients * posts * 2 + 65536))k" tmpfs "$disk" 2>"$work/mount"; then
    trap '[ -n "$service" ] && kill -9 "$service" 2>/dev/null; umount -l "$disk"; rm -rf "$work"' EXIT
    filled=no
else
    echo "skip serve under load: full disk: a small tmpfs could not be mounted (only root may)"
    filled=cannot
fi

start "$disk"
fixed_port=$port
kills=0
while read -r line; do
    case $line in
    "acknowledged "[1-9]5) # nine kills, but with a full disk it could not start again
        [ $filled != yes ] || continue
        kill -9 "$service"
        wait "$service" 2>/dev/null
        kills=$((kills + 1))
        start "$disk"
        ;;
    "acknowledged 50")
        [ $filled = no ] || continue
        cat /dev/zero >"$disk/ballast" 2>/dev/null
        filled=yes
        ;;
    refused)
        [ $filled = yes ] || continue
        rm "$disk/ballast"
        filled=over
        ;;
    acknowledged*) ;;
    *) echo "$line" >>"$work/said" ;;
    esac
done < <("$load" post "$port" "$clients" "$posts" "$work/acks")
show "$work/said"
check "serve under load: every post is acknowledged, through $kills kills" grep -q ' posts of ' "$work/said"
[ $filled = cannot ] || check "serve under load: a full disk refuses posts" test $filled = over
"$load" verify "$port" "$work/acks" >"$work/verified"
show "$work/verified"
check "serve under load: every acknowledged post is stored once, under its turn" grep -q 'each once' "$work/verified"

# Each asks for the first 10,000 turns, if there are so many, and reads none of it.
mkfifo "$work/measured"
before=$(resident)
"$load" read "$port" "$readers" <"$work/measured" >"$work/read" &
reading=$!
exec 8>"$work/measured"
for _ in $(seq 1200); do grep -q 'readers wait' "$work/read" && break; kill -0 $reading 2>/dev/null || break; sleep 0.05; done
after=$(resident)
echo >&8
exec 8>&-
wait $reading
show "$work/read"
echo "# largest resident memory: $((before / 1024)) MiB before, $((after / 1024)) MiB with $readers readers"
check "serve under load: slow readers get whole answers" grep -q 'each turn once' "$work/read"
check "serve under load: slow readers hold less than 160 KiB each" test $((after - before)) -lt $((readers * 160 + 65536))

healthy=no
"$load" health "$port" "$bodies" >"$work/health" && healthy=yes
show "$work/health"
check "serve under load: large bodies are refused, and /health is answered meanwhile" test $healthy = yes

# Three times as many reads for clients that have gone, then the end.
stop TERM
fixed_port=""
start "$disk" --drain-seconds 1
"$load" leave "$port" $((readers * 3))
began=$SECONDS
stop TERM
echo "# SIGTERM after $((readers * 3)) reads for clients that had gone: $((SECONDS - began)) s"
check "serve under load: SIGTERM drops reads for clients that have gone" test "$status" = 0 -a $((SECONDS - began)) -lt 15
run certify "$disk/main.run"
expect "serve under load: the rounds are certified" 0 'Certificate of'
