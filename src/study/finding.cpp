#include "study/finding.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

std::string range_text(Real low, Real high) {
    if (low == high) return fmt::format("{:.6g}", low);
    if (low == -kInfinity) return fmt::format("at most {:.6g}", high);
    if (high == kInfinity) return fmt::format("at least {:.6g}", low);
    return fmt::format("from {:.6g} to {:.6g}", low, high);
}

}  // namespace

bool Finding::holds() const {
    return measured.count > 0 && measured.mean >= low && measured.mean <= high;
}

std::string to_text(const Finding& finding) {
    return fmt::format(
        "{}: {}: {}, expected {}{}", finding.holds() ? "holds" : "DOES NOT HOLD", finding.statement,
        finding.measured.count > 0 ? to_text(finding.measured) : "not measured",
        range_text(finding.low, finding.high), finding.paper.empty() ? "" : "; the paper: " + finding.paper);
}

}  // namespace proxstream
