#include "online/proximal_rule.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <cmath>
#include <string>

namespace proxstream {

ProximalRule ProximalRule::parse(std::string_view text) {
    ProximalRule rule;
    rule.take_text(text);
    return rule;
}

void ProximalRule::take_text(std::string_view text) {
    if (text == "auto") {
        named.reset();
        return;
    }
    const Real mu = parse_real(text, "proximal");
    if (!std::isfinite(mu) || mu < 0) {
        throw ConfigError("proximal = " + std::string(text) +
                          ": expected auto or a finite number of at least 0; 0 leaves the term out");
    }
    named = mu;
}

Real ProximalRule::weight(Real effective_length, Index dimension) const {
    if (named) return *named;
    if (dimension > kMostCoordinates) return 0;
    if (!margin && effective_length > static_cast<Real>(dimension)) return 0;
    return row_scale / effective_length;
}

}  // namespace proxstream
