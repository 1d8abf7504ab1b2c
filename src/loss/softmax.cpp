#include "loss/softmax.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

/// Scores become their exponentials, times a common factor against overflow; returns the sum.
Real exponentials(View scores, Real largest) {
    Real total = 0;
    for (Real& score : scores) {
        score = std::exp(score - largest);
        total += score;
    }
    return total;
}

}  // namespace

void softmax(View scores) {
    const Real total = exponentials(scores, *std::max_element(scores.begin(), scores.end()));
    for (Real& score : scores) score /= total;
}

Real softmax_loss(View scores, Real target, Real share) {
    const bool known =
        target >= 0 && target < static_cast<Real>(scores.size()) && target == std::floor(target);
    if (!known) return std::numeric_limits<Real>::quiet_NaN();
    const Real largest = *std::max_element(scores.begin(), scores.end());
    const Index right = static_cast<Index>(target);
    const Real distance = largest - scores[right];
    const Real total = exponentials(scores, largest);
    for (Real& score : scores) score *= share / total;
    scores[right] -= share;
    return std::log(total) + distance;
}

Real most_likely(ConstView scores) {
    if (std::isnan(sum(scores))) return std::numeric_limits<Real>::quiet_NaN();
    return static_cast<Real>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace proxstream
