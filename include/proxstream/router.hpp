/// Online routing: splits of every pair's demand over its paths, chosen before the demand of a period is
/// known.
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

/// Settings of a Router: paths, objective, travel times and learner. The words are those of `proxstream
/// route` (docs/routing.md).
///
/// \code
/// const RouterOptions options{.paths = 3, .objective = "user", .cost = "davidson", .window = "32"};
/// Router router(network, pairs, options);
/// \endcode
struct RouterOptions {
    Index paths = 4;                        ///< paths of each pair, from 1 to 1000
    bool diverse = false;                   ///< take paths that share few links instead of the shortest ones
    std::string objective = "system";       ///< system, user, delay, utilisation[:q]; docs/routing.md
    std::string cost = "bpr";               ///< travel time of a link by its load; docs/routing.md
    Real toll_factor = 0;                   ///< time that a unit of toll adds
    Real distance_factor = 0;               ///< time that a unit of length adds
    std::string learner = "time-smoothed";  ///< the method, as `proxstream list learners` shows them
    std::string window = "auto";            ///< number of past periods, or "auto"
    std::string tolerance = "auto";         ///< tolerance of the exit test; docs/tutorial.md
    Real switching = 0;                     ///< price of changes of shares from period to period
    Real step = 0;                          ///< eta, the reference step; 0: from the first period with demand
    Index max_steps = 50;                   ///< most solver steps in a period
    double max_seconds = std::numeric_limits<double>::infinity();  ///< most seconds of solving in a period
    std::uint64_t seed = 1;                                        ///< random seed
};

/// A path of a pair, and the share of the pair's demand that is sent along it. Router::splits returns one for
/// every path.
///
/// \code
/// for (const PathShare& path : router.splits())
///     std::cout << "pair " << path.pair << ": " << 100 * path.share << " % of its demand\n";
/// \endcode
struct PathShare {
    Index pair = 0;                ///< the pair, as numbered in the constructor's list
    std::vector<LinkIndex> links;  ///< the links of the path, in order
    Real share = 0;                ///< share of the pair's demand
};

/// The outcome of a period: cost, flows and travel times at the splits that were chosen for it.
/// Router::observe returns it.
///
/// \code
/// const RoutedPeriod period = router.observe(demand);
/// std::cout << period.total_time << ", largest utilisation " << period.largest_utilisation << '\n';
/// \endcode
struct RoutedPeriod {
    Round number = 0;     ///< t, counted from 1
    bool learned = true;  ///< false: the splits stay the same. A loss of the window was not finite, or no
                          ///< demand has come yet
    Real cost = 0;        ///< f_t(x_t), the objective
    Real total_time = 0;  ///< travel time of all demand together
    Real largest_utilisation = 0;  ///< largest flow / capacity over open links
    std::vector<Real> link_flows;  ///< flow of each link
    std::vector<Real> link_times;  ///< travel time of each link at its flow
    Real stationarity_gap = 0;     ///< R_t: gap of the splits for the window that includes this period
};

/// What a run of a Router proved, with one certificate for each epoch: an epoch ends when a link closes or
/// opens. Router::certificate returns it.
///
/// \code
/// const RouterReport certificate = router.certificate();
/// if (!certificate.sound()) std::cerr << certificate.text;
/// \endcode
struct RouterReport {
    std::vector<Certificate> epochs;  ///< one certificate for each epoch
    std::string text;                 ///< the certificate for a terminal
    std::string json;                 ///< the certificate as JSON

    /// Whether no inequality of any epoch is violated.
    bool sound() const;
};

/// Splits the demand of every origin-destination pair over its paths, before the demand of a period is known.
/// After each period it observes the demand and chooses the splits of the next one. Links can close and open
/// between periods.
///
/// \code
/// Router router(network, pairs);
/// for (const auto& demand : periods) {
///     use(router.splits());
///     router.observe(demand);  // one number for each pair
/// }
/// std::cout << router.certificate().text;
/// \endcode
/// Example: examples/07_routing.cpp
class Router {
  public:
    /// `pairs` in any order, each once. Throws ConfigError for options and links that cannot be used, and
    /// DataError for pairs that cannot, or that no path connects.
    Router(Network network, std::vector<Pair> pairs, const RouterOptions& options = {});
    ~Router();
    Router(Router&&) noexcept;             ///< routers can be moved, but not copied
    Router& operator=(Router&&) noexcept;  ///< routers can be moved, but not copied

    /// The network.
    const Network& network() const noexcept;
    /// The pairs, as given to the constructor.
    const std::vector<Pair>& pairs() const noexcept;

    /// Splits for the next period: every path of every pair, in the order of the pairs. The shares of a pair
    /// sum to 1; a pair without an open path has none.
    std::vector<PathShare> splits() const;
    /// Flow of each link if this demand is split this way.
    std::vector<Real> link_flows(ConstView demand) const;

    /// Observes the demand of the period, one number for each pair: measures the current splits and finds
    /// those of the next period. Throws DataError, and changes nothing, for demand that is negative, not
    /// finite, of a pair without an open path, or too large to compute costs.
    RoutedPeriod observe(ConstView demand);
    /// The same for a matrix, nodes x nodes, row after row: demand from row to column. Entries of other pairs
    /// must be 0.
    RoutedPeriod observe_matrix(ConstView matrix);

    /// Closes a link from the next period on. Paths along it are removed, and return when it opens. A pair
    /// that would be left without a path gets a detour if there is one. Closing a closed link changes
    /// nothing. Throws ConfigError for an unknown link.
    void close_link(LinkIndex link);
    /// Opens a closed link from the next period on.
    void open_link(LinkIndex link);
    /// The same by name, as Network::find_link reads it: "a-b".
    void close_link(std::string_view link);
    /// The same by name.
    void open_link(std::string_view link);
    /// The pairs that have no open path now.
    std::vector<Index> unreachable() const;

    /// T: periods observed.
    Round periods() const noexcept;
    /// What the periods so far prove.
    RouterReport certificate() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
