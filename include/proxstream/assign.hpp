/// Static traffic assignment: the user equilibrium or the system optimum of one demand matrix.
///
///   ps::Network network;
///   network.add_link({.from = network.node("a"), .to = network.node("b"), .free_time = 5});
///   ps::Assignment found = ps::assign(network, {{{0, 1}}, {6}}, {.objective = "user"});
///
/// Paths are generated while it runs, so that the result is over all loop-free paths of the network.
#pragma once

#include "proxstream/traffic/network.hpp"

#include "proxstream/traffic/assignment_round.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace proxstream {

struct AssignOptions {
    /// user (equilibrium: no driver gains by another path), system (least total time), delay or
    /// utilisation[:q]; docs/routing.md.
    std::string objective = "system";
    /// Time of a link as a function of its load: bpr, polynomial:.., queue, davidson, s-shape;
    /// docs/routing.md.
    std::string cost = "bpr";
    Real toll_factor = 0;      // time that a unit of toll adds
    Real distance_factor = 0;  // time that a unit of length adds
    Real gap = 1e-6;           // relative gap to reach, in [0, 1)
    Index max_rounds = 200;    // each searches paths once and rebalances all pairs
    double max_seconds = std::numeric_limits<double>::infinity();
    /// Called after every round; false stops the assignment.
    std::function<bool(const AssignmentRound&)> on_round = {};
    std::string demand_source = "demand";  // how errors call the demand: a file name, for example
};

struct PathFlow {
    Index pair = 0;  // as the demand lists them
    std::vector<LinkIndex> links;
    Real flow = 0;
};

struct Assignment {
    AssignmentStatus status = AssignmentStatus::reached;
    Real gap = 0;        // relative; for a convex objective it bounds what is left to gain
    Real objective = 0;  // what was minimised
    Real total_time = 0;
    Index rounds = 0;
    Index paths = 0;  // in use, over all pairs
    double seconds = 0;
    std::vector<Real> link_flows;        // by link
    std::vector<Real> link_times;        // at those flows
    std::vector<Real> link_utilisation;  // flow / capacity
    std::vector<PathFlow> path_flows;    // with flow > 0, in the order of the pairs
    std::vector<std::string> notes;      // sentences: what had to be decided

    bool reached() const noexcept { return status == AssignmentStatus::reached; }
};

/// `demand` may list its pairs in any order, each once; pairs with demand 0 are skipped. Throws ConfigError
/// for options and links that cannot be used, DataError for demand that cannot: negative, not finite, of an
/// unknown node, or between nodes that no path connects.
Assignment assign(const Network& network, const Trips& demand, const AssignOptions& options = {});

/// Total time of given flows, one a link, under the same cost function.
Real total_time(const Network& network, ConstView link_flows, const AssignOptions& options = {});

}  // namespace proxstream
