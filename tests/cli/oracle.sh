#!/usr/bin/env bash
# Learning from sampled gradients: what is counted, certified and refused, for every oracle and variant. The
# ledger is the same on one thread, on two, and for a run split in two.
. "$(dirname "$0")/common.bash"

stream=(builtin:drift,rows=1600,features=4 --loss huber:2 --reg l1:0.02 --batch 40)

# rounds PROGRAM [ASSIGNMENT...]: awk over the rounds of the last ledger. of(KEY) is a round's first number of that
# name; cost(KEY) fills spent[1..6] with its counts: gradients, values, passes, prox, calls, base samples.
rounds() {
    awk "${@:2}" 'function at(key) { match($0, "\"" key "\":[^,]*"); return substr($0, RSTART + length(key) + 3) }
         function of(key) { return at(key) + 0 }
         function cost(key) { split(substr(at(key), 2), spent, /[],]/) }
         function near(a, b) { return (a - b) ^ 2 <= (2e-3 * b) ^ 2 }
         !/^."t"/ { next }'"$1" "$work/l.jsonl"
}
# The same figures from the certificate: base samples, calls, passes, updates, prox, gradients, referee.
printed() {
    awk '/^  updates N/ { updates = $3; prox = $7 } /^  base samples/ { samples = $3; calls = $5; passes = $7 }
         /^  record gradients/ { print samples, calls, passes, updates, prox, $3, $5 }' "$work/live"
}
added_up() {
    rounds '{ cost("c"); gradients += spent[1]; passes += spent[3]; prox += spent[4]; calls += spent[5]; samples += spent[6]
              cost("cr"); referee += spent[1]; updates += of("N") }
            END { print samples, calls, passes, updates, prox, gradients, referee }'
}

# learns NAME ARGS...: a run that ends well, whose ledger adds up to what was printed and gives the same certificate.
learns() {
    local name=$1
    shift
    run learn "${stream[@]}" "$@" --ledger "$work/l.jsonl" --certificate -
    expect "$name" 0 'Certificate of 40 rounds \(finished\)' 'base samples  ' 'Proved on this run|not measured'
    cp "$work/out" "$work/live"
    check "$name: the counts are those of the ledger" diff <(added_up) <(printed)
    run certify "$work/l.jsonl"
    check "$name: the ledger gives the same certificate" diff "$work/live" "$work/out"
}
# drawn NAME VARIANT ROWS: every round counts its estimates, each an answer of every record in a window of 8.
drawn() {
    check "$1" rounds '{ cost("c"); t = of("t"); records = t < 8 ? t : 8; estimates = of("N") + of("cf") + (variant == "fresh")
                         calls = estimates * records + (variant == "paper")
                         if (spent[3] != estimates || spent[5] != calls || spent[6] != rows * calls) { print; exit 1 } }' \
        -v variant="$2" -v rows="$3"
}

learns "minibatches whose size is chosen" -w 8 --oracle minibatch
chosen=$(sed -nE 's/.* sampled by minibatch:([0-9]+),.*/\1/p' "$work/live")
drawn "the size that was chosen is shown" fresh "${chosen:-none}"
learns "minibatches of 8 rows" -w 8 --oracle minibatch:8
drawn "every estimate draws 8 rows of each record" fresh 8
check "printed regret and bound equal those of the ledger" rounds '
    { regret += of("R") ^ 2; first += of("Rg") ^ 2; levels += of("nl") ^ 2 }
    END { while ((getline line < live) > 0) {
              split(line, word, " ")
              if (line ~ /regret Reg_w/) shown = word[3]
              if (line ~ /^  C11 .* holds$/) { n = split(line, word, " "); left = word[n - 3]; right = word[n - 2] } }
          exit !(near(shown, regret) && near(left, regret) && near(right, (sqrt(first) + sqrt(levels / 0.05)) ^ 2) && left < right) }' \
    -v live="$work/live"
learns "drawn with replacement" -w 8 --oracle minibatch:8,replace=yes
drawn "with replacement as many" fresh 8
learns "minibatches for a deviation" -w 8 --oracle minibatch:sigma=4 --noise 3
drawn "as many rows as the deviation asks for" fresh 5  # 8 (3/4)^2 = 4.5
learns "normal noise" -w 8 --oracle gaussian:0.4,samples=3
drawn "each answer a mean of 3 samples" fresh 3
learns "bounded noise" -w 8 --oracle sphere:0.05
run certify "$work/l.jsonl"
expect "bounded noise proves every line" 0 'a sure bound' 'C3c .* holds' 'C4 .* holds' 'C6 .* holds' 'C7a .* holds' 'C10 .* holds' 'C11 .* holds'
learns "heavy tails, shared by all records" -w 8 --oracle heavy:0.2,tail=2.2,noise=shared
expect "shared noise is named in the certificate" 0 'shared across|shared$'
learns "dropout" -w 8 --oracle dropout:0.5 --tolerance 4
expect "dropout claims no sigma" 0 'no sigma claimed' 'C11 .* not promised'
run learn "${stream[@]}" -w 8 --oracle dropout:0.5
expect "dropout needs a tolerance" 2 "of 'dropout:0.5' none is known; give the tolerance"

learns "the paper's variant" -w 8 --oracle minibatch:8 --learner time-smoothed:variant=paper
drawn "it asks the newest record, then all of them for every update" paper 8
expect "the paper's variant has no C11, with the reason" 0 'C11 .* not promised' 'reuses samples that were kept because they passed; begin rounds with'
learns "a stop that is confirmed" -w 8 --oracle minibatch:8 --confirm 2
drawn "confirmations are estimates too" fresh 8
check "every round that stopped was confirmed" rounds '/"(quiet|solved)"/ && of("cf") < 1 + of("ff") { print; exit 1 }'
learns "spider" -w 8 --oracle minibatch:8 --inner spider:batch=160,samples=12,restart=3 --tolerance 2 --force
check "a spider draws 160 rows at the first and every fourth point, and twice 12 in between" rounds '
    { cost("c"); t = of("t"); records = t < 8 ? t : 8; each = int((160 + records - 1) / records); if (each > 40) each = 40
      restarts = 1 + int(of("N") / 4)
      if (spent[6] != restarts * records * each + 24 * (of("N") + 1 - restarts)) { print; exit 1 } }'
learns "spider as it comes" -w 8 --oracle minibatch --inner spider
learns "weights that fall with age" -w exp:16 --oracle minibatch
learns "an ensemble of windows" -w auto:windows=2/8/32 --oracle minibatch
expect "members of an ensemble show their base samples" 0 'member .* base samples' '^  32 '
check "an ensemble spends the sum of its members" rounds '
    { cost("c"); left = spent[6]; sub(/.*"ensemble":/, "")
      while (match($0, /"c":\[[0-9,]*/)) { split(substr($0, RSTART + 5, RLENGTH - 5), member, ","); left -= member[6]; $0 = substr($0, RSTART + RLENGTH) }
      if (left != 0) { print left; exit 1 } }'
learns "without a referee" -w 8 --oracle minibatch:8 --no-referee
expect "without a referee C11 is stated" 0 'C11 .* stated' 'so Reg itself is not known' 'regret Reg_w\(T\)  not measured'
check "without a referee nothing exact is evaluated" rounds '{ cost("cr"); if (spent[1] > 0 || spent[2] != 1) { print; exit 1 } }'

run list oracles
expect "list names the oracles" 0 '^  exact ' '^  minibatch:' '^  sphere:' '^  gaussian:' '^  heavy:' '^  dropout:'
run compare "${stream[@]}" -w 8 --learners 'time-smoothed; time-smoothed:oracle=(minibatch); time-smoothed:oracle=(minibatch:8),confirm=2;
    time-smoothed:oracle=(minibatch:8),inner=(spider:batch=160,samples=12,restart=3); time-smoothed:oracle=(gaussian:0.4),variant=paper; prox-sgd'
expect "compare takes oracles in its learners" 0 'gradients +samples' '^time-smoothed:oracle=\(gaussian:0.4\),variant=paper$' '^prox-sgd '
check "compare counts gradients or samples, depending on the learner" awk '
    /^(time-smoothed|prox-sgd)/ { exact = $1 !~ /oracle/ }
    /[0-9]% +[0-9.]+ +[0-9.]+ +[0-9.]+$/ { grads = $(NF - 1); samples = $NF; ++n; if (exact != (grads > 0) || exact != (samples == 0)) bad = 1 }
    END { exit bad || n != 6 }' "$work/out"

# Where noise alone may keep a round going.
few=("${stream[@]}" -w 8 --oracle minibatch:4 --noise 3 --step 0.2)
run learn "${few[@]}" --tolerance 0.001 --ledger "$work/none.jsonl"
expect "a tolerance far below the noise is refused" 2 'delta = 0.001: a round may never end' 'smallest delta that works is above [0-9.]+' 'base samples a record and call instead of 4'
smallest=$(sed -nE 's/.*smallest delta that works is above ([0-9.]+);.*/\1/p' "$work/err")
run learn -q "${few[@]}" --tolerance "$(awk -v d="${smallest:-0}" 'BEGIN { print 0.999 * d }')"
expect "a tolerance just below the smallest one is refused" 2 'a round may never end'
run learn -q "${few[@]}" --tolerance "$(awk -v d="${smallest:-0}" 'BEGIN { print 1.001 * d }')"
expect "a tolerance just above the smallest one is accepted" 0
run learn "${few[@]}" --tolerance 0.001 --force --max-steps 50 --ledger "$work/l.jsonl" --certificate -
expect "with --force rounds end on their budget, with a note" 0 'budget   40 ' 'C1 .* not promised' 'not promised in 40 rounds that ended on their budget' \
    "delta has to be above ${smallest:0:4}" 'C12 .* not promised'
check "with --force every round ends after 50 updates" rounds '$0 !~ /"s":"budget_exhausted"/ || of("N") != 50 { print; exit 1 }'
run certify "$work/l.jsonl"
expect "the ledger of a forced run gives the same certificate" 0 'budget   40 ' "delta has to be above ${smallest:0:4}"

# Nothing is written by what is refused.
refused() {
    local name=$1
    shift
    local patterns=()
    while [ "$1" != -- ]; do patterns+=("$1"); shift; done
    shift
    rm -f "$work"/new.*
    run learn builtin:drift,rows=400,features=4 --ledger "$work/new.jsonl" -f "$work/new.json" -p "$work/new.p" --certificate "$work/new.cert" "$@"
    expect "$name is refused" 2 "${patterns[@]}"
    check "$name: nothing is written" eval '! ls "$work"/new.* 2>/dev/null'
}
small=(-w 8 --batch 20 --oracle)
refused "a negative --noise is refused" "noise = -1: .*not negative" -- "${small[@]}" minibatch:4 --noise -1
refused "a --noise that is too large is refused" 'noise = 1e200: .*finite' -- "${small[@]}" minibatch:4 --noise 1e200
refused "a --noise that is not a number is refused" "noise: 'much' is not a number" -- "${small[@]}" minibatch:4 --noise much
refused "a negative deviation of an oracle is refused" '= -1: must be finite and not negative' -- "${small[@]}" gaussian:-1
refused "a deviation of an oracle that is too large is refused" 'must be finite' -- "${small[@]}" sphere:1e300
refused "a tail without a variance is refused" 'tail = 2: must be above 2' -- "${small[@]}" heavy:1,tail=2
refused "a dropout probability of 1 is refused" 'probability must lie in \[0, 1\)' -- "${small[@]}" dropout:1
refused "a negative L is refused" 'smoothness = -4: must lie in' -- "${small[@]}" minibatch:4 --smoothness -4
refused "an L that is too large is refused" 'smoothness = 1e\+?200: must lie in' -- "${small[@]}" minibatch:4 --smoothness 1e200
refused "a step of 2/L is refused" 'step = 0.5: must be below 2/L = 0.5' -- "${small[@]}" minibatch:4 --smoothness 4 --step 0.5
refused "a step too long for the records is refused" 'step = 50: must be below 2/L' -- "${small[@]}" minibatch:4 --step 50
refused "more rows than a record has are refused" 'minibatch:21: draws 21 rows of a record, which has 20' -- "${small[@]}" minibatch:21
refused "a batch of 0 rows is refused" 'minibatch:0.*whole number from 1' -- "${small[@]}" minibatch:0
refused "sampling a record of one row is refused" 'records of one row have nothing to draw from' -- -w 8 --oracle minibatch
refused "--noise without minibatch is refused" 'noise: is the deviation of a row' -- "${small[@]}" gaussian:1 --noise 2
refused "--confirm 0 is refused" 'confirm = 0: must lie in \[1, 1000\]' -- "${small[@]}" minibatch:4 --confirm 0
refused "a mistyped oracle gets a suggestion" "unknown oracle 'minibacth'; did you mean 'minibatch'" -- "${small[@]}" minibacth
refused "a mistyped argument gets a suggestion" "replace is yes or no, not 'often'" -- "${small[@]}" minibatch:4,replace=often
refused "a learner with exact gradients is refused an oracle" "'prox-sgd': this learner evaluates its losses exactly" -- "${small[@]}" minibatch:4 --learner prox-sgd
refused "backtracking with an oracle is refused" 'inner = backtracking: .*noise' -- "${small[@]}" minibatch:4 --inner backtracking
refused "confirmations of the paper's variant are refused" "the paper's variant stops at the first" -- "${small[@]}" minibatch:4 --learner time-smoothed:variant=paper --confirm 2
refused "a running mean with an oracle is refused" 'window = mean:8,keep=1: its weights change' -- -w mean:8 --batch 20 --oracle minibatch:4
refused "the paper's variant with weights is refused" 'variant = paper: is about plain windows; exp:8' -- -w exp:8 --batch 20 --oracle minibatch:4 --learner time-smoothed:variant=paper
refused "all violations are reported at once" 'smoothness = -2' 'variant = papper: must be fresh or paper' 'confirm = 0' 'confidence = 2' 'noise = -3' 'hysteresis: has no proof' \
    'switching: has no proof' 'effort: counts exact' 'inner = backtracking' 'model = mean: with an oracle' 'draws 21 rows' -- \
    "${small[@]}" minibatch:21 --noise -3 --smoothness -2 --learner time-smoothed:variant=papper --confirm 0 --confidence 2 --hysteresis 0.5 --switching 1 --effort 9 --inner backtracking --model mean
check "each violation is reported once" test "$(grep -c . "$work/err")" = 11

# Passes large enough for several threads (2^18 numbers a full window), and a run split between one and two.
large=(builtin:drift,rows=2560,features=256 --batch 128 -w 16 --loss huber:2 --smoothness 2 --noise 30 --tolerance 8 --force --max-steps 6)
same() {
    local name=$1
    shift
    run learn -q "${large[@]}" "$@" --ledger "$work/l.jsonl"
    expect "$name: a large window is learned" 0
    check "$name: rounds take steps" rounds 'of("t") > 16 { updates += of("N") } END { exit !(updates > 4) }'
    run learn -q "${large[@]}" "$@" --threads 2 --ledger "$work/two.jsonl"
    check "$name: two threads give the same ledger" same_ledger "$work/l.jsonl" "$work/two.jsonl"
    rm -f "$work/split.run"
    run learn -q "${large[@]}" "$@" --rounds 17 --store "$work/split.run" --keep all
    run resume "$work/split.run" --rounds 0 --threads 2
    "$PROXSTREAM" export "$work/split.run" --what ledger -o "$work/split.jsonl"
    check "$name: a run split in two gives the same ledger" same_ledger "$work/l.jsonl" "$work/split.jsonl"
}
same "fresh" --oracle minibatch:64
same "paper" --oracle minibatch:64 --learner time-smoothed:variant=paper
same "confirmed" --oracle minibatch:64 --confirm 2
same "spider" --oracle minibatch:64 --inner spider:batch=1024,samples=64,restart=3

if [ -r "$data/streams/electricity.csv" ]; then
    real=("$data/streams/electricity.csv" --label class --loss logistic --reg l1:1e-4 --batch 64 -w 32 --rounds 200)
    run learn "${real[@]}" --oracle minibatch --ledger "$work/real.jsonl" --certificate -
    expect "electricity is learned with an oracle" 0 'gradients sampled by minibatch:[0-9]+' 'C11 .* holds' 'C12 .* holds' 'C13 .* holds' 'Proved on this run'
    run certify "$work/real.jsonl"
    expect "the ledger of electricity certifies" 0 'Certificate of 200 rounds'
else
    echo "skip a real stream: no $data/streams/electricity.csv"
fi
