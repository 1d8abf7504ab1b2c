/// Penalties that treat each coordinate on its own. All cost O(n) and allocate nothing.
#pragma once

#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <vector>

namespace proxstream {

/// g(x) = 0; prox(v) = v.
class Zero {
  public:
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;
};

/// g(x) = c.x; prox(v) = v - step c. inf g = -infinity unless c = 0.
class Linear {
  public:
    /// Throws ConfigError unless every slope is finite.
    explicit Linear(Coefficients slope);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const { slope_.check_size(n, "slopes"); }
    Real infimum() const;
    SumTraits sum_traits() const;

  private:
    Coefficients slope_;  // c
};

/// g(x) = sum w_i |x_i|; prox(v)_i = sign(v_i) max(|v_i| - step w_i, 0).
class L1Norm {
  public:
    explicit L1Norm(Coefficients weights);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const { weights_.check_size(n, "weights"); }
    SumTraits sum_traits() const;

  private:
    Coefficients weights_;  // w
};

/// g(x) = (w / 2) |x|^2; prox(v) = v / (1 + step w).
class L2Squared {
  public:
    explicit L2Squared(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real weight() const noexcept { return weight_; }
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

}  // namespace proxstream
