/// Non-negative coordinates with a fixed sum.
#pragma once

#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The set {x >= 0, sum x = radius} as a regulariser: shares of a whole. prox is the projection; it costs
/// O(n). Text: `simplex`. Example: examples/01_closures.cpp
class Simplex {
  public:
    /// Throws ConfigError unless the radius is positive and finite.
    explicit Simplex(Real radius = 1);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index /*n*/) const { return radius_; }

  private:
    Real radius_;
};

/// A product of simplices on consecutive blocks, each with its own size and radius: shares of many demands in
/// one flat vector. prox projects every block. It costs O(n), with no object and no virtual call for each
/// block. Text: `blocks:(simplex),sizes=3;4;5`.
///
/// \code
/// OnlineOptions options{.dimension = 5};
/// options.regulariser = SimplexProduct(BlockLayout::of_sizes({2, 3}), 1);
/// \endcode
class SimplexProduct {
  public:
    /// Throws ConfigError if a radius is not positive or their number is not that of the blocks.
    SimplexProduct(BlockLayout blocks, Coefficients radii);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index n) const;

  private:
    BlockLayout blocks_;
    Coefficients radii_;
};

/// Subtracts the mean of d: what is left is its part along {sum x = constant}.
void remove_mean(View d);

}  // namespace proxstream
