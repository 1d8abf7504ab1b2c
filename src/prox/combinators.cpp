#include "proxstream/prox/combinators.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real checked_scale(Real factor) {
    require(std::isfinite(factor) && factor > 0, "factor = {} must be finite and positive", factor);
    return factor;
}

std::vector<Real> checked_shift(std::vector<Real> by) {
    Violations violations;
    violations.require(!by.empty(), "by: the list is empty");
    for (Index i = 0; i < by.size(); ++i) {
        violations.require(std::isfinite(by[i]), "by[{}] = {} must be finite", i, by[i]);
    }
    violations.conclude();
    return by;
}

void check_slice(Index begin, Index end) {
    require(begin < end, "the slice [{}, {}) is empty: begin must be below end", begin, end);
}

void check_slice_fits(Index end, Index n) {
    require(end <= n, "the slice ends at {}, but there are {} coordinates", end, n);
}

void check_shift_fits(Index shift_size, Index n) {
    require(shift_size == n, "by has {} entries, but there are {} coordinates", shift_size, n);
}

void pull_towards(ConstView v, const Pull& pull, View out) {
    for (Index i = 0; i < v.size(); ++i) {
        out[i] = std::min(std::max(v[i] - pull.strength, pull.centre[i]), v[i] + pull.strength);
    }
}

}  // namespace proxstream
