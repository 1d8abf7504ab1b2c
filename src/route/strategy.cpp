#include "route/strategy.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/find_row.hpp"
#include "core/serialise_each.hpp"
#include "core/stopwatch.hpp"
#include "front/split_learner.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

namespace proxstream {
namespace {

constexpr std::array kStrategies{
    StrategyRow{"static", "static", "the best splits for the mean demand of the whole stream, in hindsight"},
    StrategyRow{"shortest", "shortest", "everything on the shortest free-flow path"},
    StrategyRow{"re-solve-last", "re-solve-last", "the best splits for the last demand, solved every period"},
    StrategyRow{"re-solve-mean", "re-solve-mean[:window=64]",
                "the best splits for the mean of the last demands, solved every period"},
};

bool is_strategy(std::string_view name) {
    return std::any_of(kStrategies.begin(), kStrategies.end(),
                       [&](const StrategyRow& row) { return row.name == name; });
}

/// The number of demands in the mean of re-solve-mean.
Index mean_window(const Spec& spec) {
    const Real window = spec.number_or(0, "window", 64);
    if (!(window >= 1 && window <= 1e6 && window == std::floor(window)))
        throw ConfigError("'" + spec.text() + "': window must be a whole number from 1 to 1000000");
    return static_cast<Index>(window);
}

class LearnerStrategy final : public Strategy {
  public:
    explicit LearnerStrategy(std::unique_ptr<AnyLearner> learner) : learner_(std::move(learner)) {}
    ConstView decide() const override { return learner_->decide(); }
    void observe(const RowBlock& demand) override {
        gradients_ += learner_->observe(demand).cost.record_gradients;
    }
    void revise(const std::function<void(View)>& repair) override {
        gradients_ += learner_->revise(repair).cost.record_gradients;
    }
    std::uint64_t record_gradients() const override { return gradients_; }
    double seconds() const override { return learner_->seconds(); }
    void serialise(StateArchive& archive) override {
        archive.fields(Field{"learner", *learner_}, Field{"gradients", gradients_});
    }

  private:
    std::unique_ptr<AnyLearner> learner_;
    std::uint64_t gradients_ = 0;
};

/// Constant splits, repaired only after changes of the network.
class FixedStrategy final : public Strategy {
  public:
    explicit FixedStrategy(std::vector<Real> splits) : splits_(std::move(splits)) {}
    ConstView decide() const override { return splits_; }
    void observe(const RowBlock& /*demand*/) override {}
    void revise(const std::function<void(View)>& repair) override { repair(splits_); }
    double seconds() const override { return 0; }
    void serialise(StateArchive& archive) override { archive.fixed("splits", splits_); }

  private:
    std::vector<Real> splits_;
};

/// The best splits for the mean of the last demands, starting from the previous splits. After a change of the
/// network they are solved again only if `follows` is set, otherwise just repaired.
class ResolveStrategy final : public Strategy {
  public:
    ResolveStrategy(const StrategyParts& parts, Index window, bool follows = true)
        : solver_(parts), window_(window), follows_(follows), splits_(parts.start) {}
    ConstView decide() const override { return splits_; }
    void observe(const RowBlock& demand) override {
        const Stopwatch watch(seconds_);
        const ConstView newest = demand.values(0);
        demands_.emplace_back(newest.begin(), newest.end());
        if (demands_.size() > window_) demands_.pop_front();
        solve();
    }
    void revise(const std::function<void(View)>& repair) override {
        const Stopwatch watch(seconds_);
        repair(splits_);
        if (follows_ && !demands_.empty()) solve();
    }
    std::uint64_t record_gradients() const override { return solver_.passes(); }
    double seconds() const override { return seconds_; }
    void serialise(StateArchive& archive) override {
        archive.section("solver", solver_);
        archive.fixed("splits", splits_);
        archive.field("seconds", seconds_);
        serialise_each(archive, "demands", demands_, [&](std::vector<Real>& each) {
            archive.list("demand", each);
            archive.require(each.size() == solver_.pairs(), "demands of the same pairs");
        });
        archive.require(demands_.size() <= window_, "at most as many demands as the window has");
    }

  private:
    void solve() {
        mean_.assign(demands_.front().size(), 0);
        for (const auto& each : demands_) axpy(1 / static_cast<Real>(demands_.size()), each, mean_);
        solver_.solve(SingleDemand(mean_), splits_);
    }

    DemandSolver solver_;
    Index window_;
    bool follows_;
    std::vector<Real> splits_;
    std::deque<std::vector<Real>> demands_;
    std::vector<Real> mean_;
    double seconds_ = 0;
};

std::vector<Real> shortest_splits(const Routing& routing) {
    const PathSet& paths = routing.paths;
    const std::vector<Real> times = routing.costs.free_times();
    std::vector<Real> of_paths(paths.slots());
    Scratch scratch;
    const DemandColumn ones{};
    price_paths(paths, {&ones, 1}, times, of_paths, scratch);
    std::vector<Real> splits(paths.slots(), 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        std::optional<SlotIndex> best;
        for (const SlotIndex slot : paths.live_slots(pair)) {
            if (!paths.slack(slot) && (!best || of_paths[slot] < of_paths[*best])) best = slot;
        }
        if (best) splits[*best] = 1;
    }
    repair_splits(paths, splits);  // pairs with only slack left
    return splits;
}

LearnerConfig learner_parts(const RouteSettings& settings) {
    LearnerConfig config = learner_config(settings);
    config.seed = settings.seed;
    return config;
}

}  // namespace

std::span<const StrategyRow> strategies() {
    return kStrategies;
}

std::vector<std::string> rival_texts(const RouteSettings& settings) {
    constexpr const char* kUsual =
        "time-smoothed:window=1; time-smoothed:window=16; time-smoothed:window=64; adagrad:step=1,replay=16; "
        "re-solve-last; re-solve-mean:window=4; re-solve-mean; static; shortest";
    std::vector<std::string> texts;
    if (!settings.compare) return texts;
    for (const std::string& text :
         split_outside_parentheses(settings.rivals.empty() ? kUsual : settings.rivals, ';')) {
        if (!text.empty()) texts.push_back(text);
    }
    return texts;
}

DemandSolver::DemandSolver(const StrategyParts& parts) : parts_(parts), pricer_(*parts.network) {}

void DemandSolver::solve(const DemandMix& mix, std::vector<Real>& x) {
    Routing& routing = *parts_.routing;
    const RouteSettings& settings = *parts_.settings;
    if (routing.costs.objective().kind != ObjectiveKind::unweighted) {
        const AssignmentOptions options{.gap = settings.rival_gap, .max_rounds = 100, .generate = false};
        passes_ += solve_assignment(routing, pricer_, mix, x, options, scratch_).passes;
        return;
    }
    // The unweighted objective has no sweeps, so a learner takes exact steps from x to a stationary point.
    StrategyParts parts = parts_;
    parts.start = x;
    RouteSettings single = settings;
    single.window = "1";
    single.model = "previous";
    single.tolerance = format_short(settings.rival_gap);
    single.inner = "backtracking";
    single.max_steps = 200;
    single.switching = 0;
    single.hysteresis = 1;
    single.effort = 0;
    parts.settings = &single;
    const auto learner = make_route_learner("time-smoothed", parts);
    RowBlock record;
    record.add_dense(mix.columns.front().demand, 0);
    passes_ += learner->observe(record).cost.record_gradients;
    x.assign(learner->decide().begin(), learner->decide().end());
}

std::unique_ptr<AnyLearner> make_route_learner(std::string_view text, const StrategyParts& parts) {
    LearnerConfig config = learner_parts(*parts.settings);
    config.start = parts.start;
    config.step = parts.step;
    return make_split_learner(text, parts.routing, std::move(config));
}

std::unique_ptr<Strategy> make_strategy(std::string_view text, const StrategyParts& parts) {
    const Spec spec = Spec::parse(text);
    if (!is_strategy(spec.name())) return std::make_unique<LearnerStrategy>(make_route_learner(text, parts));
    std::unique_ptr<Strategy> made;
    if (spec.name() == "shortest") {
        made = std::make_unique<FixedStrategy>(shortest_splits(*parts.routing));
    } else if (spec.name() == "static") {
        if (parts.mean_demand.empty())
            throw ConfigError("'static' needs the mean demand beforehand, which is unknown for a pipe");
        std::vector<Real> splits = parts.start;
        DemandSolver(parts).solve(SingleDemand(parts.mean_demand), splits);
        made = std::make_unique<FixedStrategy>(std::move(splits));
    } else if (spec.name() == "re-solve-last") {
        made = std::make_unique<ResolveStrategy>(parts, 1);
    } else {
        made = std::make_unique<ResolveStrategy>(parts, mean_window(spec));
    }
    spec.finish();
    return made;
}

std::unique_ptr<Strategy> make_clairvoyant(const StrategyParts& parts) {
    return std::make_unique<ResolveStrategy>(parts, 1, false);
}

void check_route_learner(std::string_view text, const RouteSettings& settings) {
    if (Spec::parse(text).has("oracle")) throw ConfigError("routing has exact gradients; leave oracle out");
    check_learner(text, learner_parts(settings));
}

void check_strategy(std::string_view text, const RouteSettings& settings) {
    const Spec spec = Spec::parse(text);
    if (!is_strategy(spec.name())) {
        std::vector<std::string> names;
        for (const StrategyRow& row : kStrategies) names.emplace_back(row.name);
        for (const LearnerRow& row : learners()) names.emplace_back(row.name);
        if (std::find(names.begin(), names.end(), spec.name()) == names.end())
            throw ConfigError(unknown_name("rival", spec.name(), names));
        check_route_learner(text, settings);
        return;
    }
    if (spec.name() == "re-solve-mean") mean_window(spec);
    spec.finish();
}

std::string strategy_label(std::string_view text, const RouteSettings& settings) {
    const Spec spec = Spec::parse(text);
    if (spec.name() == "re-solve-last") return "re-solve last demand";
    if (spec.name() == "re-solve-mean") return "re-solve mean of last " + std::to_string(mean_window(spec));
    if (spec.name() == "static") return "static, mean demand in hindsight";
    if (spec.name() == "shortest") return "shortest paths";
    if (spec.name() != "time-smoothed") return std::string(text);
    const std::string window = spec.word_or("window", settings.window);
    return window.starts_with("auto") ? "ensemble (auto)" : "window of " + window;
}

}  // namespace proxstream
