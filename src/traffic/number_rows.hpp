/// Numeric options, one row each: the table reads them from texts such as `week:peak=0.8` and checks them.
#pragma once

#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"

#include <array>
#include <variant>

namespace proxstream {

template <class Options>
struct NumberRow {
    const char* name;
    std::variant<Index Options::*, Real Options::*> member;
    Real low, high;
};
template <class Options, std::size_t kCount>
using NumberRows = std::array<NumberRow<Options>, kCount>;

/// Sets the numbers that `spec` gives.
template <class Options, std::size_t kCount>
void read_numbers(const NumberRows<Options, kCount>& rows, const Spec& spec, Options& options) {
    for (const auto& row : rows) {
        if (const auto* count = std::get_if<Index Options::*>(&row.member)) {
            options.** count = spec.count_or(row.name, options.**count);
        } else {
            Real& number = options.*std::get<Real Options::*>(row.member);
            number = spec.number_or(Spec::kByNameOnly, row.name, number);
        }
    }
}

/// Checks that every number is in its range; `what` names the options.
template <class Options, std::size_t kCount>
void check_numbers(const NumberRows<Options, kCount>& rows, const char* what, const Options& options,
                   Violations& violations) {
    for (const auto& row : rows) {
        const Real value =
            std::visit([&](auto member) { return static_cast<Real>(options.*member); }, row.member);
        violations.require(value >= row.low && value <= row.high, "{}: {} = {}: from {} to {} are possible",
                           what, row.name, value, row.low, row.high);
    }
}

}  // namespace proxstream
