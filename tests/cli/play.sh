#!/usr/bin/env bash
# proxstream play and advise game: built-in games, scenarios, certificates, files, bad input.
. "$(dirname "$0")/common.bash"

run play --help
expect "play --help lists its options" 0 'Usage: proxstream play' 'SCENARIO' '--epsilon EPS' '--opponents K' '--turns ORDER'
run play
expect "play without a game is refused" 2 "a game is needed; see 'proxstream list games'"
run play rpss
expect "a mistyped game gets a suggestion" 2 "unknown game 'rpss'; did you mean 'rps'" 'congestion'
run play bilinear:m=3
expect "a mistyped argument of a game gets a suggestion" 2 "'m='"
run play rps --windwo 3 --round 5
expect "mistyped options get a suggestion" 2 "'--windwo'; did you mean '--window'"
run play rps --rounds 0 --turns both --variation lots --stride 3
expect "all violations are reported at once" 2 'rounds = 0' "turns = 'both'.*simultaneous, alternating" "variation.*'lots'.*proved or pilot" 'stride: .*--opponents'
run play rps --window 3 --opponents 4 --learner adam --learners 'adam;adam'
expect "contradicting options are refused" 2 'window, opponents: give one' 'learner, learners: give one'
run play rps --learners 'adam'
expect "a wrong number of learners is refused" 2 'learners: 1 of them for 2 players'
run play rps --learner timesmoothed
expect "a mistyped learner gets a suggestion" 2 "player 'row': unknown learner 'timesmoothed'; did you mean 'time-smoothed'"

run play gan:ring8 --learner time-smoothed
expect "whole gradients of a large GAN are refused" 2 "player 'discriminator': learner = time-smoothed evaluates all 1048576 samples.*sampled-steps"
run list games
games=$(awk '/^  [a-z]/ { sub(/[:[].*/, "", $1); print $1 }' "$work/out")
check "list games names all games" test "$(wc -w <<<"$games")" -ge 11
for game in $games; do
    case $game in
        polynomial) text='polynomial:(x1*x2 - x1^2),(-x1*x2)' ;;
        gan) text='gan:hidden=8,samples=4096' ;;
        *) text=$game ;;
    esac
    run play "$text" --rounds 30 --window 5 --measure-samples 16
    expect "play runs $game" 0 'Certificate of 30 rounds' 'G1 ' 'gap \(w = 1\)'
done

run play rps --rounds 400 --window 10 --trace "$work/t" --certificate "$work/c" --save "$work/s" --ledger "$work/l"
expect "rock, paper, scissors is played" 0 'row +3 numbers in simplex' 'gap over' 'G1 .*holds' 'G2 .*holds' 'G3 .*holds' 'G4 .*holds' "The paper's claim" 'best responses to the last play would save'
check "the trace has a line for each round" test "$(wc -l <"$work/t")" = 401
check "the gap keeps its bound from the second round on" awk -F, 'NR > 2 && !($2 <= $3 * (1 + 1e-9)) { exit 1 } END { exit NR < 400 }' "$work/t"
check "regret is the sum of squared gaps" awk -F, 'NR > 1 { sum += $6 * $6; if ((sum - $10) ^ 2 > 1e-18 * (1 + sum) ^ 2) exit 1 } END { exit NR < 400 }' "$work/t"
check "the instant gap does not vanish" awk -F, 'NR > 200 && $4 < 0.1 { exit 1 }' "$work/t"
check "the certificate is sound" eval 'grep -q "\"sound\": true" "$work/c" && grep -q "proxstream-game-certificate" "$work/c"'
cp "$work/err" "$work/live"
run certify "$work/l-1-row.jsonl" "$work/l-2-column.jsonl"
expect "the players' ledgers give the certificate" 0 'G1 .*holds' 'G4 .*holds'
check "the certificates agree line by line" eval 'diff <(grep -E "^  G[1-4]" "$work/live") <(grep -E "^  G[1-4]" "$work/out")'
run certify "$work/l-2-column.jsonl" "$work/l-1-row.jsonl"
expect "ledgers in another order are refused" 1 'l-2-column.jsonl:1' 'in the order of its players'
head -c 20000 "$work/l-2-column.jsonl" >"$work/half.jsonl"
run certify "$work/l-1-row.jsonl" "$work/half.jsonl"
expect "a ledger cut in half is refused" 1 'half.jsonl'
run certify "$work/l-1-row.jsonl"
expect "the ledger of one player gives its certificate" 0 'C2 .*(holds|up to rounding)'
run play rps --rounds 10 --start "$work/s"
expect "a game starts from saved strategies" 0 'Certificate of 10 rounds'
head -c 100 "$work/s" >"$work/half"
run play rps --start "$work/half"
expect "strategies cut in half are refused" 3 'half' 'not JSON'
run play polynomial:'(x1*x2),(-x1*x2)' --start "$work/s"
expect "strategies of other players are refused" 3 'players\[0\].name' "'x1', as in this game"
run play pennies --start "$work/s"
expect "strategies of another game are refused" 3 'players\[0\].play' '3 numbers' '2 numbers'
run play rps --start "$work/none"
expect "missing strategies are refused" 5 'none'

run play rps --rounds 200 --epsilon 0.01
expect "--epsilon sets the advised window" 0 'epsilon +0.01 in every round: w >= 52' 'G3 .*holds' 'as wanted'
run play rps --rounds 200 --epsilon 0.01 --window 5
expect "a window too short for epsilon promises nothing" 0 'G3 .*not promised' "see 'advise'"
run play trio --rounds 100 --window 16 --oracle sphere:0.05 --confirm 2
expect "a game with sampled gradients is played" 0 'G1 .*holds' 'base samples in'
run play trio --rounds 50 --oracle sphere:0.05 --epsilon 0.1
expect "--epsilon with noise asks for a window" 2 'epsilon: with estimated gradients a window has to be given'
run play rps --rounds 50 --turns alternating --learners 'time-smoothed:window=4; optimistic:0.1'
expect "players with different learners take turns" 0 'alternating' 'not promised to some player'
run play rps --rounds 60 --learners 'ensemble; time-smoothed' --ledger "$work/b"
expect "an ensemble plays without a promise" 0 'row .* ensemble' 'window auto' 'G1 .*holds' 'not promised to some player'
run certify "$work/b-1-row.jsonl" "$work/b-2-column.jsonl"
expect "the ledger of an ensemble is certified" 0 'G1 .*holds'
run play -q rps --rounds 20
check "--quiet prints nothing" eval '[ -z "$out$err" ]'

cat >"$work/game.toml" <<'T'
title = "two firms"
rounds = 60
window = 8
[[player]]
name = "left"
variables = ["x"]
set = "box:0,1"
start = [0.9]
cost = "x*(x + y - 1)"
[[player]]
name = "right"
variables = ["y"]
set = "box:0,1"
cost = "y*(x + y - 1) + 0.1*sin(y)"
T
run play "$work/game.toml"
expect "a scenario is played" 0 'two firms: 2 players, 60 rounds' 'left +1 numbers in box:0,1' 'window 8' 'G1 .*holds'
run play "$work/game.toml" --rounds 7
expect "options win over a scenario" 0 'Certificate of 7 rounds'
printf 'game = "rps"\nrounds = 9\n' >"$work/named.toml"
run play "$work/named.toml"
expect "a scenario of a built-in game is played" 0 'Certificate of 9 rounds of rps'
printf '[matrix]\ncosts = [[0, 1], [1, 0]]\n' >"$work/matrix.toml"
run play "$work/matrix.toml" --game rps
expect "a scenario beside another game is refused" 2 "matrix.toml: describes a game of its own, and game = 'rps' names another"
run play "$work/matrix.toml" --rounds 20
expect "a matrix game is played" 0 'rows +2 numbers in simplex'
sed -i 's/cost = "x\*(x + y - 1)"/cost = "x*(x + q - 1)"/' "$work/game.toml"
run play "$work/game.toml"
expect "a variable of no player is refused" 2 "game.toml: .*'?q'?"
printf 'rounds = 5\nwindwo = 3\n[[player]]\nvariables = ["x"]\ncost = "x"\n' >"$work/typo.toml"
run play "$work/typo.toml"
expect "a mistyped key gets a suggestion" 2 "typo.toml:2: .*windwo.*did you mean 'window'"
printf '[[player]]\nvariables = ["x"]\ncost = "x"\nset = "box:1,-1"\n[[player]]\nvariables = ["y"]\ncost = "y"\n' >"$work/empty.toml"
run play "$work/empty.toml"
expect "an empty set is refused" 2 'empty.toml: .*box'
printf '[[player]]\nvariables = ["x"]\ncost = "x"\nstart = [1, 2]\n[[player]]\nvariables = ["y"]\ncost = "y"\n' >"$work/long.toml"
run play "$work/long.toml"
expect "a start of the wrong size is refused" 2 'long.toml: .*start'
printf '[[player]]\nvariables = ["x"]\nset = "box:-1,1"\ncost = "x^2\n' >"$work/torn.toml"
run play "$work/torn.toml"
expect "a scenario cut short is refused" 3 'torn.toml:4'
run play "$work/absent.toml"
expect "a missing scenario is refused" 5 'absent.toml'
cat >"$work/steep.toml" <<'T'
rounds = 50
learner = "prox-gradient:10"
[[player]]
variables = ["x"]
start = [2]
cost = "-x^9*y^2"
[[player]]
variables = ["y"]
start = [2]
cost = "-y^9*x^2"
T
run play "$work/steep.toml"
expect "a cost that becomes infinite ends with status 4" 4 'not a finite number here; the round was refused for all players' 'refused'

run play rps --rounds 30 --out "$work/run" 
if grep -q 'built without' "$work/err"; then
    echo "skip a folder with everything: the program was built without the page"
else
    expect "--out writes a folder" 0 'Certificate of 30 rounds'
    check "the folder of --out is complete" test -s "$work/run/report.html" -a -s "$work/run/trace.csv" -a -s "$work/run/strategies.json" -a -s "$work/run/certificate.json" -a -s "$work/run/ledger-1-row.jsonl"
    run certify "$work"/run/ledger-*.jsonl
    expect "the ledgers in the folder of --out are certified" 0 'Certificate of 30 rounds of rps' 'G1 .*(holds|up to rounding)'
    check "the page describes a game" grep -q '"kind":"play"' "$work/run/report.html"
fi
run play rps --rounds 30 --trace /dev/full
expect "a full disk is an error" 5 '/dev/full'
run play rps --rounds 30 --save "$work/no/such/folder/s.json"
expect "a missing folder is refused before the first round" 5 'no/such/folder'

run advise game --help
expect "advise game --help lists its options" 0 'proxstream advise game' '--players M' '--epsilon EPS'
run advise game --players 2 --epsilon 1e-4 --variation 0.3 --tolerance 0.1
expect "advise game works from figures" 0 '^  40 +every player' '^  57 +all players' '^  64 +the paper' '^  40 +the paper.s formula.*too short'
run advise game rps --epsilon 0.01
expect "advise game works from a game" 0 'D 3.46' '^  52 +every player'
run advise game rps
expect "advise game asks for an epsilon" 2 'epsilon: say how close'
run advise game --epsilon 1 --players 1 --variation 1 --tolerance 1
expect "a game of one player is refused" 2 'players = 1: must be a whole number, 2 or more'
run advise game --epsilon 1
expect "advise game without game and figures is refused" 2 'give a game, or players'
run advise game rps --epsilon 1e-40
expect "a window too large for the memory is refused" 2 'asks for a window of'
