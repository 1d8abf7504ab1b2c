#include "proxstream/prox/simplex.hpp"

#include "proxstream/core/linalg.hpp"

#include "box_section.hpp"
#include "core/violations.hpp"
#include "not_finite.hpp"
#include "prox/simplex_batch.hpp"
#include "prox/simplex_projection.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

Real simplex_indicator(ConstView x, Real radius) {
    const Real total = sum(x);
    if (std::isnan(total)) return total;
    const bool no_negative =
        std::all_of(x.begin(), x.end(), [=](Real v) { return v >= -kFeasibility * radius; });
    return no_negative && std::abs(total - radius) <= kFeasibility * radius ? 0 : kInfinity;
}

Real switch_on_simplex(ConstView v, const Pull& pull, Real radius, View out) {
    if (!all_finite(v) || !std::isfinite(pull.strength)) return refuse_not_finite(out);
    if (v.empty()) return 0;
    return switch_on_section(v, pull, radius, 0, kInfinity, out) ? 0 : simplex_indicator(out, radius);
}

}  // namespace

void remove_mean(View d) {
    if (d.empty()) return;
    const Real mean = sum(d) / static_cast<Real>(d.size());
    for (Real& entry : d) entry -= mean;
}

Simplex::Simplex(Real radius) : radius_(checked_radius(radius)) {}

Real Simplex::value(ConstView x, Scratch&) const {
    return simplex_indicator(x, radius_);
}

Real Simplex::prox(ConstView v, Real, View out, Scratch& scratch) const {
    return project_onto_simplex(v, radius_, out, scratch);
}

Real Simplex::switching_prox(ConstView v, Real, const Pull& pull, View out, Scratch&) const {
    return switch_on_simplex(v, pull, radius_, out);
}

void Simplex::check_dimension(Index n) const {
    if (n == 0) throw ConfigError(fmt::format("a simplex of radius {} needs at least 1 coordinate", radius_));
}

void Simplex::project_direction(View d) const {
    remove_mean(d);
}

SimplexProduct::SimplexProduct(BlockLayout blocks, Coefficients radii)
    : blocks_(std::move(blocks)), radii_(checked_radii(std::move(radii), "radius")) {
    if (blocks_.fixed_count() != 0) radii_.check_size(blocks_.fixed_count(), "radii");
}

Real SimplexProduct::value(ConstView x, Scratch&) const {
    Real total = 0;
    blocks_.for_each(x.size(), [&](Index k, Index begin, Index size) {
        total += simplex_indicator(x.subspan(begin, size), radii_[k]);
    });
    return total;
}

Real SimplexProduct::prox(ConstView v, Real, View out, Scratch& scratch) const {
    SimplexBatch batch(v, out, scratch);
    blocks_.for_each(v.size(), [&](Index k, Index begin, Index size) { batch.add(begin, size, radii_[k]); });
    return batch.finish();
}

Real SimplexProduct::switching_prox(ConstView v, Real, const Pull& pull, View out, Scratch&) const {
    Real total = 0;
    blocks_.for_each(v.size(), [&](Index k, Index begin, Index size) {
        total += switch_on_simplex(v.subspan(begin, size), pull.part(begin, size), radii_[k],
                                   out.subspan(begin, size));
    });
    return total;
}

void SimplexProduct::check_dimension(Index n) const {
    blocks_.check_dimension(n);
    radii_.check_size(blocks_.count(n), "radii");
}

Real SimplexProduct::prox_scale(Index n) const {
    Real total = 0;
    blocks_.for_each(n, [&](Index k, Index, Index) { total += radii_[k]; });
    return total;
}

void SimplexProduct::project_direction(View d) const {
    blocks_.for_each(d.size(), [&](Index, Index begin, Index size) { remove_mean(d.subspan(begin, size)); });
}

}  // namespace proxstream
