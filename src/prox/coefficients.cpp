#include "proxstream/prox/coefficients.hpp"

#include "core/violations.hpp"

#include <cmath>

namespace proxstream {
namespace {

template <class Allowed>
Coefficients checked(Coefficients coefficients, std::string_view what, std::string_view rule,
                     Allowed allowed) {
    Violations violations;
    const ConstView entries = coefficients.entries();
    violations.require(!entries.empty(), "{}: the list is empty", what);
    for (Index i = 0; i < entries.size(); ++i) {
        if (coefficients.common_for_all()) {
            violations.require(allowed(entries[i]), "{} = {} must be {}", what, entries[i], rule);
        } else {
            violations.require(allowed(entries[i]), "{}[{}] = {} must be {}", what, i, entries[i], rule);
        }
    }
    violations.conclude();
    return coefficients;
}

}  // namespace

void Coefficients::check_size(Index n, std::string_view what) const {
    require(common_for_all_ || each_.size() == n, "{} {} do not fit {} places: give one for all or {}",
            each_.size(), what, n, n);
}

Coefficients checked_weights(Coefficients weights, std::string_view what) {
    return checked(std::move(weights), what, "finite and at least 0",
                   [](Real w) { return std::isfinite(w) && w >= 0; });
}

Coefficients checked_radii(Coefficients radii, std::string_view what) {
    return checked(std::move(radii), what, "finite and positive",
                   [](Real r) { return std::isfinite(r) && r > 0; });
}

Real checked_radius(Real radius) {
    return checked_radii(radius, "radius")[0];
}

}  // namespace proxstream
