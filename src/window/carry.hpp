/// Value and gradient of a window at one point, as they are carried from round to round, with what rounding
/// may have done to them meanwhile.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include <utility>
#include <vector>

namespace proxstream {

struct Carry {
    static constexpr Real kUnknown = -1;  // of a norm

    Carry(Index dimension, bool summed) : gradient(dimension), sum_gradient(summed ? dimension : 0) {}
    std::vector<Real> gradient;
    Real value = 0;
    Real gradient_drift = 0;
    Real value_drift = 0;
    Index rounds_since_pass = 0;
    // The plain sum of the newest W records, for windows whose recurrence needs it.
    std::vector<Real> sum_gradient;
    Real sum_value = 0;
    bool sum_valid = true;  // of no records it is 0
    Real forecast_weight = 0;
    mutable Real norm = kUnknown;  // of the gradient, once somebody asked

    Real known_norm() const {
        if (norm == kUnknown) norm = proxstream::norm(gradient);
        return norm;
    }
    friend void swap(Carry& a, Carry& b) noexcept {
        a.gradient.swap(b.gradient);
        std::swap(a.value, b.value);
        std::swap(a.gradient_drift, b.gradient_drift);
        std::swap(a.value_drift, b.value_drift);
        std::swap(a.rounds_since_pass, b.rounds_since_pass);
        a.sum_gradient.swap(b.sum_gradient);
        std::swap(a.sum_value, b.sum_value);
        std::swap(a.sum_valid, b.sum_valid);
        std::swap(a.forecast_weight, b.forecast_weight);
        std::swap(a.norm, b.norm);
    }
    void serialise(StateArchive& archive) {
        archive.fixed("gradient", gradient);
        archive.field("value", value);
        archive.field("gradient drift", gradient_drift);
        archive.field("value drift", value_drift);
        archive.field("rounds since pass", rounds_since_pass);
        archive.fixed("sum gradient", sum_gradient);
        archive.field("sum value", sum_value);
        archive.field("sum valid", sum_valid);
        archive.field("forecast weight", forecast_weight);
        norm = kUnknown;
    }
};

}  // namespace proxstream
