/// Static traffic assignment: the user equilibrium or the system optimum of one demand matrix. Paths are
/// generated while it runs, so the result is over all loop-free paths of the network.
#pragma once

#include "proxstream/traffic/assignment_round.hpp"
#include "proxstream/traffic/network.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace proxstream {

/// Settings of an assignment: objective, travel times, accuracy and budgets. The words are those of
/// `proxstream assign` (docs/routing.md).
///
/// \code
/// const AssignOptions options{.objective = "user", .gap = 1e-8};
/// const Assignment found = assign(network, demand, options);
/// \endcode
struct AssignOptions {
    /// The objective: user (equilibrium: no driver gains by another path), system (least total time), delay
    /// or utilisation[:q]; docs/routing.md.
    std::string objective = "system";
    /// Travel time of a link as a function of its load: bpr, polynomial:.., queue, davidson, s-shape;
    /// docs/routing.md.
    std::string cost = "bpr";
    Real toll_factor = 0;      ///< time that a unit of toll adds
    Real distance_factor = 0;  ///< time that a unit of length adds
    Real gap = 1e-6;           ///< target relative gap, in [0, 1)
    Index max_rounds = 200;    ///< most rounds; each searches paths once and rebalances all pairs
    double max_seconds = std::numeric_limits<double>::infinity();  ///< most seconds
    /// Called after every round; return false to stop.
    std::function<bool(const AssignmentRound&)> on_round = {};
    std::string demand_source = "demand";  ///< name of the demand in error messages: a file name, for example
};

/// A path that carries flow in an Assignment, and how much. Assignment::path_flows lists all of them.
///
/// \code
/// for (const PathFlow& path : found.path_flows)
///     std::cout << "pair " << path.pair << ": " << path.flow << " of its demand\n";
/// \endcode
struct PathFlow {
    Index pair = 0;                ///< the pair, as numbered in the demand
    std::vector<LinkIndex> links;  ///< the links of the path, in order
    Real flow = 0;                 ///< demand sent along it
};

/// The result of assign(): flows and travel times of all links, the paths in use, and the relative gap
/// reached. For a convex objective the gap bounds how much the objective can still fall.
///
/// \code
/// const Assignment found = assign(network, demand, {.objective = "user"});
/// if (found.reached()) std::cout << found.total_time << ", gap " << found.gap << '\n';
/// \endcode
/// Example: examples/10_assign.cpp
struct Assignment {
    AssignmentStatus status = AssignmentStatus::reached;  ///< how the assignment ended
    Real gap = 0;                                         ///< relative gap reached
    Real objective = 0;                                   ///< the objective
    Real total_time = 0;                                  ///< travel time of all demand together
    Index rounds = 0;                                     ///< rounds made
    Index paths = 0;                                      ///< paths in use, over all pairs
    double seconds = 0;                                   ///< seconds spent
    std::vector<Real> link_flows;                         ///< flow of each link
    std::vector<Real> link_times;                         ///< travel time of each link at its flow
    std::vector<Real> link_utilisation;                   ///< flow / capacity of each link
    std::vector<PathFlow> path_flows;                     ///< paths with flow > 0, in the order of the pairs
    std::vector<std::string> notes;                       ///< decisions that had to be made, each a sentence

    /// Whether the target gap was reached.
    bool reached() const noexcept { return status == AssignmentStatus::reached; }
};

/// Assigns a demand matrix to a network. `demand` may list its pairs in any order, each once; pairs with
/// demand 0 are skipped. Throws ConfigError for options and links that cannot be used, and DataError for
/// demand that cannot: negative, not finite, of an unknown node, or between nodes that no path connects.
/// Example: examples/10_assign.cpp
Assignment assign(const Network& network, const Trips& demand, const AssignOptions& options = {});

/// Travel time of all flow together for given flows, one for each link, with the travel times of the same
/// options.
Real total_time(const Network& network, ConstView link_flows, const AssignOptions& options = {});

}  // namespace proxstream
