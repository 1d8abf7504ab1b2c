/// Non-negative coordinates with a fixed sum.
#pragma once

#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// Indicator of {x >= 0, sum x = radius}. Cost O(n), see simplex_projection.hpp.
class Simplex {
  public:
    explicit Simplex(Real radius = 1);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index /*n*/) const { return radius_; }

  private:
    Real radius_;
};

/// Indicator of a product of simplices on consecutive blocks, each with its own size and radius: shares of
/// many demands in one flat vector. Cost O(n), with no object and no virtual call per block.
class SimplexProduct {
  public:
    /// Throws ConfigError if a radius is not positive or their number is not that of the blocks.
    SimplexProduct(BlockLayout blocks, Coefficients radii);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index n) const;

  private:
    BlockLayout blocks_;
    Coefficients radii_;
};

/// Subtracts the mean: what is left of a direction within {sum x = constant}.
void remove_mean(View d);

}  // namespace proxstream
