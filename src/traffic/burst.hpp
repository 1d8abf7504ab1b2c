/// Noise that resembles itself from one period to the next, and is a pure function of the period all the
/// same.
#pragma once

#include "proxstream/core/draw.hpp"

#include <cmath>
#include <vector>

namespace proxstream {

/// A standard normal number a period and series, whose correlation at lag k is close to memory^k: a moving
/// average of independent draws with weights memory^k, cut off where they fall below a twentieth.
class SmoothNormal {
  public:
    /// 0 <= memory <= 0.95.
    explicit SmoothNormal(Real memory) {
        Real weight = 1, squares = 0;
        while (weight >= 0.05) {
            weights_.push_back(weight);
            squares += weight * weight;
            weight *= memory;
        }
        for (Real& each : weights_) each /= std::sqrt(squares);
    }

    /// `at.round` is the period; the rest of it names the series.
    Real operator()(Draw at) const {
        Real sum = 0;
        at.round += weights_.size();
        for (const Real weight : weights_) {
            sum += weight * normal(at);
            --at.round;
        }
        return sum;
    }

  private:
    std::vector<Real> weights_;
};

}  // namespace proxstream
