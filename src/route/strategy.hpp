/// Strategies choose the splits of each period from the demands so far: the learner of a run, and its rivals.
#pragma once

#include "online/learner_table.hpp"
#include "route/route_settings.hpp"
#include "traffic/assignment.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// What strategies are made from.
struct StrategyParts {
    const RouteSettings* settings = nullptr;
    const Network* network = nullptr;
    std::shared_ptr<Routing> routing;
    std::vector<Real> start;
    Real step = 1;
    std::vector<Real> mean_demand = {};  // over the whole stream, for rivals in hindsight; may be empty
};

class Strategy {
  public:
    virtual ~Strategy() = default;
    virtual ConstView decide() const = 0;
    virtual void observe(const RowBlock& demand) = 0;
    /// Call it after a change of the network. `repair` moves splits to the feasible set.
    virtual void revise(const std::function<void(View)>& repair) = 0;
    virtual std::uint64_t record_gradients() const { return 0; }
    /// Seconds spent on choosing splits.
    virtual double seconds() const = 0;
    /// Everything that later periods depend on. Call it between two periods.
    virtual void serialise(StateArchive& archive) = 0;
};

struct StrategyRow {
    std::string_view name, usage, help;
};
/// Rivals that are not learners.
std::span<const StrategyRow> strategies();

/// The learner of that text on the splits of the routing.
std::unique_ptr<AnyLearner> make_route_learner(std::string_view text, const StrategyParts& parts);
/// A learner, or one of strategies(). Throws ConfigError.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const StrategyParts& parts);
/// The best splits for the present demand: the caller reveals a demand before it asks for the splits.
std::unique_ptr<Strategy> make_clairvoyant(const StrategyParts& parts);
/// Throws what make_route_learner() would throw, without a network.
void check_route_learner(std::string_view text, const RouteSettings& settings);
/// Likewise for make_strategy.
void check_strategy(std::string_view text, const RouteSettings& settings);
/// Its label in tables and charts.
std::string strategy_label(std::string_view text, const RouteSettings& settings);
/// The rivals of the settings, or the default ones.
std::vector<std::string> rival_texts(const RouteSettings& settings);

/// Solves for one demand, or the mean of several, over the present paths, starting from x.
class DemandSolver {
  public:
    explicit DemandSolver(const StrategyParts& parts);
    void solve(const DemandMix& mix, std::vector<Real>& x);
    std::uint64_t passes() const noexcept { return passes_; }
    Index pairs() const noexcept { return parts_.routing->paths.pairs(); }
    void serialise(StateArchive& archive) { archive.field("passes", passes_); }

  private:
    StrategyParts parts_;
    ColumnPricer pricer_;
    Scratch scratch_;
    std::uint64_t passes_ = 0;
};

}  // namespace proxstream
