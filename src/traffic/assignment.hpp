/// The assignment of one demand, or of a mean of several: splits that are optimal for it, over all paths of
/// the network if they are generated, else over the paths there are. What an online method is measured
/// against.
#pragma once

#include "proxstream/traffic/assignment_round.hpp"

#include "traffic/block_sweeps.hpp"
#include "traffic/column_pricer.hpp"

#include <atomic>
#include <functional>

namespace proxstream {

struct AssignmentOptions {
    Real gap = 1e-6;          // relative gap to reach
    Index max_rounds = 1000;  // of pricing and sweeping
    double max_seconds = kInfinity;
    bool generate = true;  // paths that price out are added
    const std::atomic<bool>* stop = nullptr;
};

struct AssignmentResult {
    AssignmentStatus status = AssignmentStatus::reached;
    AssignmentRound last;
    Index full = 0;            // pairs that wanted more paths than they have slots for
    std::uint64_t passes = 0;  // gradients of the demand, and sweeps in their measure
};

/// Moves x, and adds to routing.paths where options say so. `pricer` is for routing's network. Not for the
/// unweighted objective.
AssignmentResult solve_assignment(Routing& routing, ColumnPricer& pricer, const DemandMix& mix,
                                  std::vector<Real>& x, const AssignmentOptions& options, Scratch& scratch,
                                  const std::function<void(const AssignmentRound&)>& on_round = {});

/// The same paths in `slots` slots a pair, with x carried along; `slots` is at least what each pair has.
void widen(Routing& routing, const Network& network, Index slots, std::vector<Real>& x);

}  // namespace proxstream
