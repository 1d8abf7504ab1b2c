#include "proxstream/prox/capped_simplex.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/simplex.hpp"

#include "box_section.hpp"
#include "core/simd.hpp"
#include "core/violations.hpp"
#include "not_finite.hpp"

#include <cmath>

namespace proxstream {
CappedSimplex::CappedSimplex(Real total, Coefficients lo, Coefficients hi)
    : total_(total), lo_(lo), hi_(hi), box_(std::move(lo), std::move(hi)) {
    require(std::isfinite(total), "sum = {} must be finite", total);
    if (!lo_.common_for_all()) check_dimension(lo_.entries().size());
    if (!hi_.common_for_all()) check_dimension(hi_.entries().size());
}

void CappedSimplex::check_dimension(Index n) const {
    box_.check_dimension(n);
    const Real least = lane_sum(n, [&](Index i) { return lo_[i]; });
    const Real most = lane_sum(n, [&](Index i) { return hi_[i]; });
    const Real slack = kFeasibility * std::abs(total_);
    require(least <= total_ + slack && total_ <= most + slack,
            "sum = {} cannot be reached: {} coordinates within their bounds add up to [{}, {}]", total_, n,
            least, most);
}

Real CappedSimplex::value(ConstView x, Scratch& scratch) const {
    const Real boxed = box_.value(x, scratch);
    if (boxed != 0) return boxed;
    return std::abs(sum(x) - total_) <= kFeasibility * (std::abs(total_) + max_abs(x)) ? 0 : kInfinity;
}

Real CappedSimplex::prox(ConstView v, Real, View out, Scratch& scratch) const {
    if (!all_finite(v)) return refuse_not_finite(out);
    if (v.empty()) return value(v, scratch);
    bool inside = sum_reached(lane_sum(v.size(), [&](Index i) { return v[i]; }), total_,
                              lane_sum(v.size(), [&](Index i) { return std::abs(v[i]); }), v.size());
    for (Index i = 0; inside && i < v.size(); ++i) inside = v[i] >= lo_[i] && v[i] <= hi_[i];
    if (inside) {
        if (out.data() != v.data()) copy(v, out);
        return 0;
    }
    return project_onto_section(v, total_, lo_, hi_, out) ? 0 : value(out, scratch);
}

Real CappedSimplex::switching_prox(ConstView v, Real, const Pull& pull, View out, Scratch& scratch) const {
    if (!all_finite(v) || !std::isfinite(pull.strength)) return refuse_not_finite(out);
    if (v.empty()) return value(v, scratch);
    return switch_on_section(v, pull, total_, lo_, hi_, out) ? 0 : value(out, scratch);
}

void CappedSimplex::project_direction(View d) const {
    remove_mean(d);
}

}  // namespace proxstream
