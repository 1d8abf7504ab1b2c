#!/usr/bin/env bash
# proxstream serve from outside: a client over /dev/tcp, restarts, kills, tokens.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/service.bash"

cat >"$work/one.toml" <<'T'
[learner.main]
kind = "learn"
dimension = 2
loss = "cauchy"
reg = "l1:0.01"
window = 8
step = 0.05
tolerance = "0.01"
keep = "all"
T

# ask METHOD TARGET [BODY [HEADER..]]: of $host, 127.0.0.1 if it is not set; $status is the reply's, $out its body.
ask() {
    local method=$1 target=$2 body=${3:-} header headers=""
    shift $(($# < 3 ? $# : 3))
    for header in "$@"; do headers+="$header"$'\r\n'; done
    status=none out=""
    exec 9<>"/dev/tcp/127.0.0.1/$port" || return
    printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n%s\r\n%s' \
        "$method" "$target" "${host-127.0.0.1}" "${#body}" "$headers" "$body" >&9
    cat <&9 >"$work/reply"
    exec 9>&-
    status=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$work/reply")
    sed '1,/^\r$/d' "$work/reply" >"$work/out"
    out=$(<"$work/out")
}
# says NAME STATUS PATTERN..: what the last reply was.
says() {
    local name=$1 wanted=$2 pattern
    shift 2
    for pattern in "$@"; do
        if [ "$status" != "$wanted" ] || ! grep -qE -- "$pattern" "$work/out"; then
            printf 'not ok %s: status %s (expected %s), nothing matches %s in\n%.600s\n' "$name" "$status" "$wanted" "$pattern" "$out"
            return
        fi
    done
    echo "ok $name"
}
record() { printf '{"x":[%s,%s],"y":%s}' "$1" "$(($1 % 3))" "$(($1 % 5))"; }
post() { ask POST /v1/learners/main/rounds "{\"record\":$(record "$1"),\"turn\":$1}"; }

run serve
expect "serve needs a scenario" 2 'scenario: give a file'
run serve "$work/one.toml" --listen 0.0.0.0
expect "serve on an open address needs tokens" 2 'token-file'
run serve "$work/one.toml" --prot 1
expect "serve suggests the nearest option" 2 "did you mean '--port'"
printf '[learner.a]\nkind = "learn"\nwindwo = 3\n[serve]\nprot = 1\n' >"$work/bad.toml"
run serve "$work/bad.toml"
expect "serve refuses unknown keys with the nearest one" 2 "did you mean 'port'"
printf '[learner.a]\nkind = "learn"\n' >"$work/bad.toml"
run serve "$work/bad.toml"
expect "serve names missing settings of a learner" 2 'learner a: features'

start "$work/a"
ask GET /health
says "serve is alive" 200 '"alive"'
ask GET /ready
says "serve is ready" 200 '"ready"'
post 1
says "serve plays a record" 200 '^\{"turn":1,"status":"[a-z_]+","replayed":false,'
post 1
says "serve answers the same turn again" 200 '"turn":1,.*"replayed":true'
ask POST /v1/learners/main/rounds "{\"record\":$(record 9),\"turn\":9}"
says "serve refuses a gap and names the turn" 409 'next turn is 2'
ask POST /v1/learners/main/rounds '{"record":{"x":[1,NaN],"y":1}}'
says "serve refuses NaN by the field's name" 400 '"field":"record.x\[1\]"'
ask POST /v1/learners/main/rounds '{"record":{"x":[1,1e999],"y":1}}'
says "serve refuses a number that is too large" 400 '"field":"record.x\[1\]"'
ask POST /v1/learners/main/rounds '{"record":{"x":[1,null],"y":1}}'
says "serve refuses null by the field's name" 400 '"field":"x\[1\]"'
ask POST /v1/learners/main/rounds '{"record":'
says "serve refuses incomplete JSON" 400 'not JSON'
ask POST '/v1/learners/main/rounds?decide=true' "{\"batch\":[{\"record\":$(record 2)},{\"record\":$(record 3),\"key\":\"third\"}]}"
says "serve plays a batch and decides" 200 '"rounds":\[\{"turn":2,.*"turn":3,.*"next":\{"learner":"main","turn":4'
ask GET /v1/learners/main/decision
says "serve returns the decision" 200 '"turn":4,"decision":\{.*"x":\['
ask POST /v1/learners/main/predict '{"rows":[{"x":[1,2]},{"x":[0,0]}]}'
says "serve predicts" 200 '"predictions":\[[-0-9.e]+,[-0-9.e]+\]'
ask GET /v1/learners/main/certificate
says "serve returns a certificate" 200 '"sound":true,"certificate":\{'
ask GET '/v1/learners/main/ledger?first=2&limit=1'
check "serve returns the ledger in pages" test "$(grep -c '^{"t":' "$work/out")" = 1 -a -n "$(grep -i '^Link: .*rel="next"' "$work/reply")"
ask GET /v1/learners/main/turns
says "serve stores turns with their keys" 200 '"key":"third"'
ask GET /metrics
says "serve returns metrics" 200 '^proxstream_rounds_total\{learner="main",kind="learn"\} 3$'
ask GET /openapi.json
says "serve returns its OpenAPI document" 200 '"openapi":"3.0.3"' '"/v1/learners/\{name\}/rounds"'
ask GET /learners/main
says "serve shows its page" 200 'proxstream-data'
for host in 127.evil.example:8390 127.0.0.1.evil.example '[::1].evil' localhost@evil; do
    ask POST /v1/learners/main/pause '' "Origin: http://$host"
    says "serve refuses the host $host" 403 'only to loopback addresses'
done
for host in "127.8.9.1:$port" LOCALHOST. '[::1]:1'; do
    ask GET /v1/learners/main '' "Origin: http://$host"
    says "serve answers to the host $host" 200 '"status":"running"'
done
host=""
ask GET /v1/learners
says "serve refuses an empty host" 400 '^\{"error":\{"status":400,'
unset host
ask GET "/v1/learners/main/turns?$(printf 'a=1&%.0s' $(seq 1000))"
says "serve refuses 1000 parameters" 414 '^\{"error":\{"status":414,'
ask POST /v1/learners/main/rounds "{\"record\":$(record 4)}" 'Content-Encoding: gzip'
says "serve refuses a compressed body" 415 '"field":"content-encoding"'
ask GET /learners/main
check "serve lets no page be framed" grep -qi "^Content-Security-Policy: frame-ancestors 'none'" "$work/reply"
ask GET /etc/passwd
says "serve returns no file" 404 'nothing at'
ask PUT /v1/learners/main
says "serve names the allowed methods" 405 'GET, DELETE'
ask POST /v1/learners/main/fork '{"name":"wide","settings":{"window":16}}'
says "serve forks" 201 '"name":"wide".*"follows":"main"'
ask POST /v1/learners/main/fork '{"name":"x","settings":{"store":"/tmp/x"}}'
says "serve lets no fork name a file" 400 'names a file'
exec 9<>"/dev/tcp/127.0.0.1/$port" && printf 'POST /v1/learners/main/rounds HTTP/1.1\r\nContent-Length: 50\r\n\r\n{"rec' >&9 && exec 9>&-
exec 9<>"/dev/tcp/127.0.0.1/$port" && head -c 3000 /dev/urandom >&9 && exec 9>&-
post 4
says "serve survives clients that die or send garbage" 200 '"turn":4'
kill -HUP "$service"
for _ in $(seq 100); do grep -q 'settings read again' "$work/err" && break; sleep 0.05; done
check "SIGHUP reads the settings again" grep -q 'settings read again' "$work/err"
"$PROXSTREAM" serve "$work/one.toml" --port 0 --store-folder "$work/a" >"$work/out" 2>"$work/second" </dev/null
check "a second service on one store is refused" grep -qE 'another process' "$work/second"
stop TERM
check "SIGTERM ends the service with status 0" test "$status" = 0
run certify "$work/a/main.run"
expect "the stored rounds are certified" 0 'Certificate of 4 rounds'

start "$work/a"
ask POST /v1/learners/main/rounds "{\"record\":$(record 3),\"key\":\"third\"}"
says "a key is known after a restart" 200 '"turn":3,.*"replayed":true'
ask GET /v1/learners/wide
says "a fork exists after a restart" 200 '"follows":"main","turn":4'
for turn in $(seq 5 40); do post "$turn"; done
says "serve continues after a restart" 200 '"turn":40'
stop KILL
start "$work/a"
ask GET /v1/learners/main
says "a kill loses no answered record" 200 '"turn":40,'
post 40
says "the last answer is repeated after a kill" 200 '"turn":40,.*"replayed":true'
for turn in $(seq 41 50); do post "$turn"; done
ask GET /v1/learners/main/decision
killed=$out
for _ in $(seq 100); do ask GET /v1/learners/wide; grep -q '"turn":50,' "$work/out" && break; sleep 0.05; done
says "a fork catches up" 200 '"turn":50,'
stop INT

start "$work/b"
for turn in $(seq 50); do post "$turn"; done
ask GET /v1/learners/main/decision
check "a killed service decides like one that never stopped" test "$out" = "$killed"
stop TERM
for folder in a b; do "$PROXSTREAM" export "$work/$folder/main.run" -o "$work/$folder.jsonl" 2>/dev/null; done
check "a killed service has the ledger of one that never stopped" same_ledger "$work/a.jsonl" "$work/b.jsonl"

printf 'a-token-of-our-own\n' >"$work/tokens"
chmod 644 "$work/tokens"
run serve "$work/one.toml" --token-file "$work/tokens"
expect "a token file that others can read is refused" 2 'chmod 600'
chmod 600 "$work/tokens"
start "$work/c" --token-file "$work/tokens"
ask GET /v1/learners
says "a request without a token is refused" 401 'token is needed'
ask GET /v1/learners '' 'Authorization: Bearer a-token-of-our-own'
says "a request with a token is answered" 200 '"name":"main"'
ask GET /health
says "health needs no token" 200 alive
stop TERM
