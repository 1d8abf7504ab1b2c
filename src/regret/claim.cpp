#include "regret/claim.hpp"

#include "core/rounding.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

Claim::Claim(std::string name, std::string words, const WorstRound& worst)
    : Claim(std::move(name), std::move(words)) {
    round = worst.round;
    if (worst.checked > 0) judge(worst.left, worst.right, worst.slack, worst.largest_right);
}

Claim& Claim::judge(Real left_side, Real right_side, Real rounding, Real scale) {
    left = left_side;
    right = right_side;
    slack = rounding;
    if (!std::isfinite(left) || !std::isfinite(right) || !std::isfinite(slack))
        return drop(Verdict::not_applicable, "the figures leave the range of double precision");
    verdict = decide(scale);
    if (verdict == Verdict::undecided && slack < kTinySlack)
        return drop(Verdict::not_applicable, "the figures leave the range of double precision");
    if (verdict == Verdict::undecided)
        explanation =
            fmt::format("rounding may have changed the two sides by {:.3g}, too much to tell", slack);
    return *this;
}

Claim& Claim::say(Verdict outcome, std::string why) {
    verdict = outcome;
    explanation = std::move(why);
    return *this;
}

Claim& Claim::drop(Verdict outcome, std::string why) {
    left = right = slack = 0;
    return say(outcome, std::move(why));
}

Claim& Claim::blame(std::string_view why) {
    if (verdict == Verdict::violated) explanation = why;
    return *this;
}

bool Claim::stopped_by(const Occurrences& rounds, Verdict outcome, std::string_view form) {
    if (rounds) drop(outcome, rounds.in_words(form));
    return static_cast<bool>(rounds);
}

}  // namespace proxstream
