#include "proxstream/prox/combinators.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real checked_scale(Real factor) {
    Violations violations;
    violations.require(std::isfinite(factor) && factor > 0, "factor = {} must be finite and positive",
                       factor);
    violations.raise();
    return factor;
}

std::vector<Real> checked_shift(std::vector<Real> by) {
    Violations violations;
    violations.require(!by.empty(), "by: the list is empty");
    for (Index i = 0; i < by.size(); ++i) {
        violations.require(std::isfinite(by[i]), "by[{}] = {} must be finite", i, by[i]);
    }
    violations.raise();
    return by;
}

void check_slice(Index begin, Index end) {
    if (begin < end) return;
    throw ConfigError(fmt::format("the slice [{}, {}) is empty: begin must be below end", begin, end));
}

void check_slice_fits(Index end, Index n) {
    if (end <= n) return;
    throw ConfigError(fmt::format("the slice ends at {}, but there are {} coordinates", end, n));
}

void check_shift_fits(Index shift_size, Index n) {
    if (shift_size == n) return;
    throw ConfigError(fmt::format("by has {} entries, but there are {} coordinates", shift_size, n));
}

void pull_towards(ConstView v, Real pull, ConstView centre, View out) {
    for (Index i = 0; i < v.size(); ++i) {
        out[i] = std::min(std::max(v[i] - pull, centre[i]), v[i] + pull);
    }
}

}  // namespace proxstream
