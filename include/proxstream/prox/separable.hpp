/// Penalties that act on each coordinate separately. All cost O(n) and allocate nothing.
#pragma once

#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <vector>

namespace proxstream {

/// No regularisation: g(x) = 0 and prox(v) = v. It is the default of OnlineOptions::regulariser. Text:
/// `zero`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = Zero();
/// \endcode
class Zero {
  public:
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;
};

/// The linear term g(x) = c.x. prox(v) = v - step c. Its infimum is -infinity unless c = 0, so it is mostly
/// used in a sum with a set. Text: `linear:0.5`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = add({Linear(std::vector<Real>{1, 2, 3}), Box(0, 1)});
/// \endcode
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

/// The lasso penalty g(x) = sum w_i |x_i|, which makes many coordinates exactly zero. prox is the soft
/// threshold: prox(v)_i = sign(v_i) max(|v_i| - step w_i, 0). Text: `l1:0.01`. Example:
/// examples/02_robust_regression.cpp
class L1Norm {
  public:
    /// Throws ConfigError if a weight is negative or not finite.
    explicit L1Norm(Coefficients weights);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const;
    void check_dimension(Index n) const { weights_.check_size(n, "weights"); }
    SumTraits sum_traits() const;

  private:
    Coefficients weights_;  // w
};

/// The ridge penalty g(x) = (w / 2) |x|^2, which keeps coordinates small. prox(v) = v / (1 + step w). Text:
/// `l2sq:0.1`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = L2Squared(0.1);
/// \endcode
class L2Squared {
  public:
    /// Throws ConfigError if the weight is negative or not finite.
    explicit L2Squared(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const;
    /// w.
    Real weight() const noexcept { return weight_; }
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

}  // namespace proxstream
