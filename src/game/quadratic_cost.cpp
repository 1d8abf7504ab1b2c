#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/eigenvalues.hpp"
#include "game/quadratic_game.hpp"
#include "reach.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

ConstView row(const std::vector<Real>& matrix, Index k, Index columns) {
    return ConstView(matrix).subspan(k * columns, columns);
}

void check_entries(const std::vector<Real>& entries, Index wanted, std::string_view what,
                   std::vector<std::string>& violations) {
    if (!entries.empty() && entries.size() != wanted) {
        violations.push_back(fmt::format("{} has {} entries where {} fit", what, entries.size(), wanted));
    }
    for (const Real entry : entries) {
        if (std::abs(entry) <= kAbsurd) continue;
        violations.push_back(fmt::format("{}: {:g} is not a number to calculate with", what, entry));
        return;
    }
}

}  // namespace

QuadraticCost::QuadraticCost(JointLayout layout, Index player, QuadraticTerms terms,
                             std::span<const AnyRegulariser> sets)
    : layout_(std::move(layout)), player_(player), terms_(std::move(terms)) {
    if (player_ >= layout_.players() || sets.size() != layout_.players()) {
        throw ConfigError(
            fmt::format("player {} of {} with {} sets", player_, layout_.players(), sets.size()));
    }
    check();
    terms_.linear.resize(dimension(), 0);
    terms_.coupling.resize(layout_.players());
    find_curvature();
    find_variation(sets);
}

void QuadraticCost::check() const {
    const Index n = dimension();
    std::vector<std::string> violations;
    if (n == 0) violations.emplace_back("a player needs at least one coordinate");
    check_entries(terms_.linear, n, "the linear term", violations);
    check_entries(terms_.curvature, n * n, "the curvature", violations);
    if (terms_.coupling.size() > layout_.players()) {
        violations.push_back(
            fmt::format("{} couplings for {} players", terms_.coupling.size(), layout_.players()));
    } else {
        for (Index j = 0; j < terms_.coupling.size(); ++j) {
            if (j == player_ && !terms_.coupling[j].empty()) {
                violations.emplace_back("the coupling of a player with itself belongs into its curvature");
            } else {
                check_entries(terms_.coupling[j], n * layout_.dimension(j),
                              fmt::format("the coupling with player {}", j + 1), violations);
            }
        }
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    if (terms_.curvature.empty()) return;
    const Real tolerance = kFeasibility * max_abs(terms_.curvature);
    for (Index k = 0; k < n; ++k) {
        for (Index l = 0; l < k; ++l) {
            const Real difference = terms_.curvature[k * n + l] - terms_.curvature[l * n + k];
            if (std::abs(difference) <= tolerance) continue;
            throw ConfigError(fmt::format("the curvature is not symmetric at {}, {}", l, k));
        }
    }
}

void QuadraticCost::find_curvature() {
    if (terms_.curvature.empty()) return;
    const std::vector<Real> values = symmetric_eigenvalues(terms_.curvature, dimension());
    if (values.empty()) throw ConfigError("the iteration for the eigenvalues of the curvature did not end");
    // Computed eigenvalues are off by n roundings of the largest, at most.
    const Real largest = std::max(std::abs(values.front()), std::abs(values.back()));
    const Real error = static_cast<Real>(dimension()) * 2 * kUnitRoundoff * largest;
    smoothness_ = largest + error;
    convex_ = values.front() >= -error;
}

void QuadraticCost::find_variation(std::span<const AnyRegulariser> sets) {
    const Index n = dimension();
    Scratch scratch;
    std::vector<Interval> gradient(n);
    std::vector<Real> rivals(n);
    for (Index k = 0; k < n; ++k) {
        Interval record{terms_.linear[k], terms_.linear[k]};
        for (Index j = 0; j < layout_.players(); ++j) {
            if (terms_.coupling[j].empty()) continue;
            record = record + reach(sets[j], row(terms_.coupling[j], k, layout_.dimension(j)), scratch);
        }
        rivals[k] = 2 * record.radius();
        gradient[k] = record;
        if (!terms_.curvature.empty())
            gradient[k] = record + reach(sets[player_], row(terms_.curvature, k, n), scratch);
    }
    variation_ = variation_bound(sets[player_], gradient, rivals);
}

void QuadraticCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    copy(terms_.linear, record);
    for (Index j = 0; j < layout_.players(); ++j) {
        if (terms_.coupling[j].empty()) continue;
        const ConstView rival = layout_.block(joint, j);
        for (Index k = 0; k < record.size(); ++k)
            record[k] += dot(row(terms_.coupling[j], k, rival.size()), rival);
    }
}

Real QuadraticCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                             View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View slope = gradient.empty() ? frame.take(own.size()) : gradient;
    fill(slope, 0);
    Real mass = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        mass += weights[age];
        axpy(weights[age], records[age], slope);
    }
    Real value = dot(own, slope);
    if (terms_.curvature.empty()) return value;
    for (Index k = 0; k < own.size(); ++k) {
        const Real bend = mass * dot(row(terms_.curvature, k, own.size()), own);
        value += own[k] * bend / 2;
        slope[k] += bend;
    }
    return value;
}

}  // namespace proxstream
