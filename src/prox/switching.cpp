#include "prox/switching.hpp"

#include "core/simd.hpp"
#include "violations.hpp"

#include <cmath>

namespace proxstream {

Real checked_switching(Real kappa, bool supported, std::string_view text) {
    Violations violations;
    violations.require(std::isfinite(kappa) && kappa >= 0, "switching = {} must be finite and at least 0",
                       kappa);
    violations.require(
        supported,
        "{} cannot carry a switching penalty: the prox of g + kappa |x - centre|_1 is known for "
        "zero, linear, l1, nonneg-l1, l2sq, elastic, box, nonneg, linfball, simplex, "
        "capped-simplex, for sums of them that decompose, and for blocks, scale, shift and slice "
        "of them",
        text.empty() ? "this regulariser" : fmt::format("'{}'", text));
    violations.raise();
    return kappa;
}

void check_centre_fits(Index centre_size, Index n) {
    if (centre_size == n) return;
    throw ConfigError(fmt::format(
        "the centre of a switching penalty has {} entries, but there are {} coordinates", centre_size, n));
}

Real l1_distance(ConstView a, ConstView b) {
    return lane_sum(a.size(), [&](Index i) { return std::abs(a[i] - b[i]); });
}

}  // namespace proxstream
