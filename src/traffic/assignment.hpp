/// The assignment of one demand, or of a mean of several: optimal splits. They are optimal over all paths of
/// the network if paths are generated, else over the given ones. Online methods are measured against it.
#pragma once

#include "proxstream/traffic/assignment_round.hpp"

#include "traffic/block_sweeps.hpp"
#include "traffic/column_pricer.hpp"

#include <functional>

namespace proxstream {

struct AssignmentOptions {
    Real gap = 1e-6;          // relative gap at which it stops
    Index max_rounds = 1000;  // of pricing and sweeping
    double max_seconds = kInfinity;
    bool generate = true;  // add paths that are cheaper than the present ones of their pair
    std::function<bool(const AssignmentRound&)> on_round = {};  // called after every round; false: stop
};

struct AssignmentResult {
    AssignmentStatus status = AssignmentStatus::reached;
    AssignmentRound last;
    Index full = 0;            // pairs without a slot for a cheaper path
    std::uint64_t passes = 0;  // gradients of the demand; sweeps count as their equivalents
};

/// Moves x, and adds paths to `routing` if the options ask for it. `pricer` must be made for its network. Not
/// for the unweighted objective.
AssignmentResult solve_assignment(Routing& routing, ColumnPricer& pricer, const DemandMix& mix,
                                  std::vector<Real>& x, const AssignmentOptions& options, Scratch& scratch);

/// The same paths in `slots` slots a pair, with x carried along; `slots` is at least what each pair has.
void widen(Routing& routing, const Network& network, Index slots, std::vector<Real>& x);

}  // namespace proxstream
