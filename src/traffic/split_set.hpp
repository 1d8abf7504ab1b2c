/// g of routing: the splits of every pair lie on a simplex over the paths it has now; empty slots are 0.
///
/// A multiple mu of the L1 norm, which the paper adds, is the constant mu times the number of pairs here: it
/// moves no minimum and no residual. Sparsity is not to be had from it (docs/theory.md); share prices are one
/// way.
#pragma once

#include "proxstream/core/scratch.hpp"

#include "traffic/routing.hpp"

#include <memory>

namespace proxstream {

class SplitSet {
  public:
    /// Follows the paths of `routing` as they come and go. `mu` is the paper's weight of the L1 norm.
    explicit SplitSet(std::shared_ptr<const Routing> routing, Real mu = 0);

    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real infimum() const { return constant_; }

  private:
    template <class One, class Many>
    Real project(ConstView v, View out, Index begin, Index end, Scratch& scratch, const One& one,
                 const Many& many) const;

    std::shared_ptr<const Routing> routing_;
    Real constant_;  // mu times the number of pairs
};

/// A point of the set near x, for when paths have come or gone: what a pair lacks, or has on empty slots, is
/// shared out among its paths in proportion, or evenly where they have nothing. Pairs without any path get
/// nothing.
void repair_splits(const PathSet& paths, View x);

/// Every pair evenly over its paths, slack apart.
std::vector<Real> even_splits(const PathSet& paths);

}  // namespace proxstream
