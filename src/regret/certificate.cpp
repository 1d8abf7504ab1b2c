#include "proxstream/regret/certificate.hpp"

#include "proxstream/core/error.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace proxstream {

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 8> kNames{
        "holds",        "holds up to rounding", "undecided", "violated",
        "not promised", "not applicable",       "missed",    "stated"};
    return kNames[static_cast<Index>(verdict)];
}

Verdict Inequality::decide(Real scale) const {
    const Real excess = identity ? std::abs(left - right) : left - right;
    if (excess + slack <= 0) return Verdict::holds;
    if (!(excess <= slack)) return confidence < 1 ? Verdict::missed : Verdict::violated;
    return slack <= kSmallSlack * std::abs(scale) ? Verdict::holds_to_rounding : Verdict::undecided;
}

Real Inequality::margin() const {
    return identity ? slack - std::abs(left - right) : right + slack - left;
}

Real Inequality::ratio() const {
    if (left == right) return left == 0 ? 0 : 1;
    return right == 0 ? std::copysign(kInfinity, left) : left / right;
}

Real RunSummary::mean_regret() const {
    return totals.rounds == 0 ? 0 : regret / static_cast<Real>(totals.rounds);
}

Real RunSummary::quiet_share() const {
    return totals.rounds == 0 ? 0 : static_cast<Real>(quiet) / static_cast<Real>(totals.rounds);
}

bool CertificateLines::sound() const {
    return std::none_of(inequalities.begin(), inequalities.end(),
                        [](const Inequality& each) { return each.verdict == Verdict::violated; });
}

const Inequality& CertificateLines::at(std::string_view id) const {
    const auto found = std::find_if(inequalities.begin(), inequalities.end(),
                                    [id](const Inequality& each) { return each.id == id; });
    if (found == inequalities.end())
        throw ConfigError("the certificate has no inequality '" + std::string(id) + "'");
    return *found;
}

bool Certificate::sound() const {
    return CertificateLines::sound() && std::all_of(members.begin(), members.end(),
                                                    [](const Certificate& member) { return member.sound(); });
}

}  // namespace proxstream
