/// Online routing: splits of every pair's demand over its paths, chosen before the demand of a period is
/// known.
///
///   ps::Router router(network, pairs);
///   for (;;) {
///       use(router.splits());                // for the period to come
///       router.observe(measured_demand());   // one number a pair
///   }
///   std::cout << router.certificate().text;
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/traffic/network.hpp"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct RouterOptions {
    Index paths = 4;                        // the shortest ones of each pair, from 1 to 1000
    bool diverse = false;                   // paths that share few links instead of the shortest
    std::string objective = "system";       // system, user, delay, utilisation[:q]; docs/routing.md
    std::string cost = "bpr";               // time of a link by its load; docs/routing.md
    Real toll_factor = 0;                   // time that a unit of toll adds
    Real distance_factor = 0;               // time that a unit of length adds
    std::string learner = "time-smoothed";  // as `proxstream list learners` shows them
    std::string window = "auto";            // number of past periods, or auto
    std::string tolerance = "auto";         // of the exit test; docs/tutorial.md
    Real switching = 0;                     // price on every share that changes from period to period
    Real step = 0;                          // reference step; 0: from the first demand
    Index max_steps = 50;                   // solver steps a period
    double max_seconds = std::numeric_limits<double>::infinity();  // of solving, a period
    std::uint64_t seed = 1;
};

/// A path of a pair and the share of the pair's demand that is sent along it.
struct PathShare {
    Index pair = 0;  // as given to the constructor
    std::vector<LinkIndex> links;
    Real share = 0;
};

/// What a period came to at the splits that were chosen for it.
struct RoutedPeriod {
    Round number = 0;     // from 1
    bool learned = true;  // false: a loss of the window was not finite, and the splits stay as they were
    Real cost = 0;        // the objective
    Real total_time = 0;
    Real largest_utilisation = 0;  // flow / capacity, over open links
    std::vector<Real> link_flows;
    std::vector<Real> link_times;
    Real stationarity_gap = 0;  // of the splits, over the window with this period in it
};

/// What was proved, epoch by epoch: an epoch ends where a link closes or opens.
struct RouterReport {
    std::vector<Certificate> epochs;
    std::string text;
    std::string json;

    bool sound() const;
};

class Router {
  public:
    /// `pairs` in any order, each once. Throws ConfigError for options and links that cannot be used,
    /// DataError for pairs that cannot, or that no path connects.
    Router(Network network, std::vector<Pair> pairs, const RouterOptions& options = {});
    ~Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;

    const Network& network() const noexcept;
    const std::vector<Pair>& pairs() const noexcept;

    /// Splits for the period to come: every path of every pair, in the order of the pairs. The shares of a
    /// pair sum to 1, or there are none while it has no open path.
    std::vector<PathShare> splits() const;
    /// Flows that a demand would put on the links at these splits.
    std::vector<Real> link_flows(ConstView demand) const;

    /// The demand of the period, one number a pair: measures the splits and moves to those of the next
    /// period. Throws DataError, with everything as before, for demand that is negative, not finite, of a
    /// pair without an open path, or beyond what costs can be computed for.
    RoutedPeriod observe(ConstView demand);
    /// The same as a matrix, nodes x nodes row by row: demand from row to column. Entries of other pairs
    /// must be 0.
    RoutedPeriod observe_matrix(ConstView matrix);

    /// From the next period on. Paths along a closed link go, and return when it opens; a pair that would be
    /// left without one gets a detour if there is one. Closing a closed link changes nothing. Throws
    /// ConfigError for an unknown link.
    void close_link(LinkIndex link);
    void open_link(LinkIndex link);
    /// By name, as Network::find_link reads it: "a-b".
    void close_link(std::string_view link);
    void open_link(std::string_view link);
    /// Pairs without an open path now.
    std::vector<Index> unreachable() const;

    Round periods() const noexcept;
    /// As if the run ended here.
    RouterReport certificate() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
