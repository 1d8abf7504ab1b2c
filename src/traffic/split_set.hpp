/// g of routing: the splits of every pair are on a simplex over its present paths; empty slots are 0.
///
/// A multiple mu of the L1 norm, which the paper adds, is a constant here, mu times the number of pairs. It
/// moves no minimum and no gap, and gives no sparsity (docs/theory.md). Share prices can give sparsity.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "traffic/routing.hpp"

#include <cmath>
#include <memory>

namespace proxstream {

class SplitSet {
  public:
    /// Uses the present paths of `routing`. `mu` is the paper's weight of the L1 norm.
    explicit SplitSet(std::shared_ptr<const Routing> routing, Real mu = 0);

    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real infimum() const { return constant_; }
    Real prox_scale(Index n) const { return std::sqrt(static_cast<Real>(n)); }

  private:
    struct PairRange {
        Index begin, end;
    };
    template <class One, class Many>
    Real project(ConstView v, View out, PairRange range, Scratch& scratch, const One& one,
                 const Many& many) const;

    std::shared_ptr<const Routing> routing_;
    Real constant_;  // mu times the number of pairs
};

/// Moves x into the set after a change of paths. The missing share of a pair, and its share on empty slots,
/// are distributed among its paths in proportion, or evenly if they have nothing. Pairs without a path get
/// nothing.
void repair_splits(const PathSet& paths, View x);

/// Even splits over the paths of each pair, slack excluded.
std::vector<Real> even_splits(const PathSet& paths);

}  // namespace proxstream
