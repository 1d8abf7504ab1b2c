# The service as command-line tests start and stop it; source it after common.bash.
service=""
trap '[ -n "$service" ] && kill -9 "$service" 2>/dev/null; rm -rf "$work"' EXIT

# start FOLDER ARGS...: the service with its stores in FOLDER; $port is where it listens, any
# free one unless $fixed_port is set.
start() {
    local folder=$1
    shift
    mkdir -p "$folder"
    : >"$work/err"  # or the port of the last service is read again
    "$PROXSTREAM" serve "$work/one.toml" --port "${fixed_port:-0}" --store-folder "$folder" "$@" 2>"$work/err" &
    service=$!
    port=""
    for _ in $(seq 200); do
        port=$(sed -n 's/^listening on http:.*:\([0-9]*\)$/\1/p' "$work/err")
        [ -n "$port" ] && return
        kill -0 "$service" 2>/dev/null || return
        sleep 0.05
    done
}
# stop SIGNAL: $status is how it ended.
stop() {
    kill "-$1" "$service"
    wait "$service" 2>/dev/null
    status=$?
    service=""
}
