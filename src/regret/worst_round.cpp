#include "regret/worst_round.hpp"

#include <algorithm>

namespace proxstream {

void WorstRound::observe(Round now, Real now_left, Real now_right, Real now_slack) {
    const Real bound = now_right + now_slack;
    const bool holds = now_left <= bound;
    // How much of the bound is used up; every broken case ranks above every kept one.
    const Real used = bound > 0 ? now_left / bound : (holds ? 0 : kInfinity);
    const Real severity = holds ? std::min(used, Real{1}) : 1 + used;
    ++checked;
    if (!holds && ++violations == 1) first_violation = now;
    if (severity <= severity_) return;
    severity_ = severity;
    round = now;
    left = now_left;
    right = now_right;
    slack = now_slack;
}

}  // namespace proxstream
