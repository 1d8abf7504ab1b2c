#include "regret/worst_round.hpp"

#include "core/rounding.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A number that grows with `size`, between 0 and 1.
Real rank(Real size) {
    return size < kInfinity ? size / (1 + size) : 1;
}

}  // namespace

void WorstRound::observe(Round now, Real now_left, Real now_right, Real now_slack) {
    ++checked;
    largest_right = std::max(largest_right, now_right);
    Real severity = 0;
    if (!(now_left <= now_right + now_slack)) {
        if (++violations == 1) first_violation = now;
        severity = 2 + rank(now_left - now_right - now_slack);
    } else if (now_left + now_slack > now_right) {
        ++close;
        if (now_slack > kSmallSlack * now_right) ++unclear;
        severity = 1 + rank(now_slack);
    } else {
        severity = now_right > 0 ? std::max<Real>(now_left + now_slack, 0) / now_right : 0;
    }
    if (severity <= severity_) return;
    severity_ = severity;
    round = now;
    left = now_left;
    right = now_right;
    slack = now_slack;
}

std::string WorstRound::in_words(std::string_view form) const {
    return fmt::format(fmt::runtime(form), violations, first_violation);
}

std::string Occurrences::in_words(std::string_view form) const {
    return fmt::format(fmt::runtime(form), count, first);
}

}  // namespace proxstream
