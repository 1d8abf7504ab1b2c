/// An inequality of a certificate while it is built: its sides, the verdict on them and the reason.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "regret/worst_round.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace proxstream {

struct Claim : Inequality {
    Claim(std::string name, std::string words) {
        id = std::move(name);
        statement = std::move(words);
    }
    /// A line that is checked in every round, with the sides of the tightest one. The slack is compared with
    /// the largest right side of the run, because a round with tiny sides decides nothing.
    Claim(std::string name, std::string words, const WorstRound& worst);

    /// Sets the sides and decides; a slack is compared with `scale`. Sides that are not finite decide
    /// nothing.
    Claim& judge(Real left_side, Real right_side, Real rounding, Real scale);
    Claim& judge(Real left_side, Real right_side, Real rounding) {
        return judge(left_side, right_side, rounding, right_side);
    }
    /// Replaces the verdict; the sides stay.
    Claim& say(Verdict outcome, std::string why);
    /// The same without sides.
    Claim& drop(Verdict outcome, std::string why);
    /// The reason, if the line is violated.
    Claim& blame(std::string_view why);
    /// Drops the line if there are such rounds, and returns whether there are.
    bool stopped_by(const Occurrences& rounds, Verdict outcome, std::string_view form);
};

}  // namespace proxstream
