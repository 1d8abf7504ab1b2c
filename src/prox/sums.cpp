#include "proxstream/prox/sums.hpp"

#include "core/violations.hpp"

#include <optional>

namespace proxstream {
namespace {

/// Whether prox_{first + second} = prox_second o prox_first (the cases of sums.hpp).
bool composes(const SumTraits& first, const SumTraits& second) {
    return first.linear || (first.homogeneous && second.radial) || (first.separable && second.interval) ||
           (first.separable && first.homogeneous && second.radial_by_blocks) ||
           (first.differences && second.uniform) || (first.keeps_order && second.uniform && second.interval);
}

std::optional<AnyRegulariser> joined(const AnyRegulariser& first, const AnyRegulariser& second) {
    const Real curvature = first.sum_traits().curvature;
    if (curvature > 0) return AnyRegulariser(Curved(L2Squared(curvature), second));
    if (composes(first.sum_traits(), second.sum_traits())) return AnyRegulariser(Composed(first, second));
    return std::nullopt;
}

/// Joins pairs until one term is left, trying every order: sums have a handful of terms.
std::optional<AnyRegulariser> join_all(const std::vector<AnyRegulariser>& terms) {
    if (terms.size() == 1) return terms.front();
    for (Index i = 0; i < terms.size(); ++i) {
        for (Index j = 0; j < terms.size(); ++j) {
            if (i == j) continue;
            const std::optional<AnyRegulariser> pair = joined(terms[i], terms[j]);
            if (!pair) continue;
            std::vector<AnyRegulariser> rest{*pair};
            for (Index k = 0; k < terms.size(); ++k) {
                if (k != i && k != j) rest.push_back(terms[k]);
            }
            if (std::optional<AnyRegulariser> all = join_all(rest)) return all;
        }
    }
    return std::nullopt;
}

}  // namespace

SumTraits traits_of_sum(const SumTraits& first, const SumTraits& second) {
    return {.separable = first.separable && second.separable,
            .uniform = first.uniform && second.uniform,
            .interval = first.interval && second.interval,
            .homogeneous = first.homogeneous && second.homogeneous,
            .radial = first.radial && second.radial,
            .keeps_order = first.keeps_order && second.uniform};
}

AnyRegulariser add(const std::vector<AnyRegulariser>& terms) {
    constexpr Index kMostTerms = 5;
    Violations violations;
    violations.require(!terms.empty(), "a sum needs at least one term");
    violations.require(terms.size() <= kMostTerms, "a sum of {} terms is too long: at most {}", terms.size(),
                       kMostTerms);
    violations.conclude();
    if (std::optional<AnyRegulariser> all = join_all(terms)) return *std::move(all);
    throw ConfigError(
        "the prox of this sum does not follow from those of its terms; sums that decompose: "
        "zero, linear or l2sq + anything; "
        "l1, linear, elastic or another separable term + box, nonneg or linfball; "
        "l1, nonneg, linf, group, tv or another positively homogeneous term + l2, l2sq or l2ball; "
        "l1 or nonneg + group; "
        "tv + l1, box, nonneg or elastic with one weight or bound for all coordinates");
}

SumTraits traits_when_scaled(SumTraits traits, Real factor) {
    traits.curvature *= factor;
    return traits;
}

SumTraits traits_when_translated(SumTraits traits) {
    return {.separable = traits.separable, .interval = traits.interval};
}

SumTraits traits_when_sliced(SumTraits traits) {
    return {.linear = traits.linear,
            .separable = traits.separable,
            .interval = traits.interval,
            .homogeneous = traits.homogeneous,
            .radial_by_blocks = traits.radial || traits.radial_by_blocks};
}

SumTraits traits_in_blocks(SumTraits traits) {
    SumTraits blocks = traits_when_sliced(traits);
    blocks.uniform = traits.uniform;
    blocks.curvature = traits.curvature;
    return blocks;
}

}  // namespace proxstream
