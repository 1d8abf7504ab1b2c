/// What a few seeds say about a figure: its mean, and how far that mean may be off.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <span>
#include <string>

namespace proxstream {

struct Estimate {
    Index count = 0;
    Real mean = 0;              // 0 when there is nothing to average
    std::optional<Real> error;  // standard error of the mean; one value does not tell
};

Estimate estimate(std::span<const Real> values);

/// The same in other units: mean and error over a number that is known.
Estimate over(Estimate estimate, Real unit);

/// "0.0870 +- 0.0031": the error to two digits, the mean to the same place and to four digits at most;
/// "(1.23 +- 0.04)e-05" far from 1. Without an error, four digits; without values, "-".
std::string to_text(const Estimate& estimate);

}  // namespace proxstream
