/// The newest demands, evaluated together. One walk over the paths computes the loads of all of them. The
/// marginal costs of every link follow, then the prices of all paths.
///
/// A record is one dense row: the demand of every pair. Consecutive demands that are multiples of one another
/// share a column. So a window of scaled copies of one matrix takes a single walk. If link costs are powers
/// of the load, each link is evaluated once.
#pragma once

#include "loss/row_ring.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <span>
#include <vector>

namespace proxstream {

/// A demand of a window: `scale` times a column, with a weight.
struct ColumnUse {
    Index column = 0;
    Real scale = 1;
    Real weight = 1;
};

/// A weighted sum of demands, cut into columns; it consists of views.
struct DemandMix {
    std::span<const DemandColumn> columns;
    std::span<const ColumnUse> uses;
    Real weight = 0;  // of all uses together
};

/// One demand as a mix; the mix must not outlive this object.
class SingleDemand {
  public:
    explicit SingleDemand(ConstView demand) : column_{demand} {}
    operator DemandMix() const noexcept { return {{&column_, 1}, {&use_, 1}, 1}; }

  private:
    DemandColumn column_;
    ColumnUse use_;
};

/// sum over uses of weight * loss(scale * column; x). Overwrites `gradient` unless it is empty.
Real evaluate(const Routing& routing, const DemandMix& mix, ConstView x, View gradient, Scratch& scratch);

/// The part of the sum that belongs to no link: prices of shares, and of demand that is not served. Adds its
/// gradient to `gradient`, unless that is empty. Not divided by the unit.
Real price_slots(const Routing& routing, const DemandMix& mix, ConstView x, View gradient = {});

/// The terms of all links at given loads: prices[link * columns + k] of column k's demand, and the same for
/// curvatures unless that view is empty. Returns the sum of the values of links. Not for the unweighted
/// objective.
Real price_links(const Routing& routing, const DemandMix& mix, ConstView loads, View prices, View curvatures,
                 Scratch& scratch);

class DemandBatch {
  public:
    using Record = RowBlock;

    DemandBatch(std::shared_ptr<const Routing> routing, Index capacity);

    void push(const Record& record);
    void drop_newest();
    Index size() const noexcept { return ring_.size(); }
    Index capacity() const noexcept { return ring_.capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const;
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const;
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const;
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const;
    /// Sweeps over the pairs (block_sweeps.hpp); does nothing for the unweighted objective.
    Index improve(std::span<const Real> weights, View x, Scratch& scratch) const;

    DemandMix mix(std::span<const Real> weights, Scratch::Frame& frame) const;
    void serialise(StateArchive& archive);

  private:
    /// Consecutive records of one group are multiples of one another.
    struct Shape {
        Index group = 0;
        Index anchor = 0;  // the pair with the largest demand, whose ratio is the most precise
    };
    ConstView demand(Index age) const;
    const Shape& shape(Index age) const;
    void note_shape();

    std::shared_ptr<const Routing> routing_;
    RowRing ring_;
    std::vector<Shape> shapes_;  // a ring parallel to ring_
    Index newest_ = 0;           // of shapes_
};

}  // namespace proxstream
