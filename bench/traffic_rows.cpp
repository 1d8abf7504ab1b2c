/// Routing on real road networks: gradients of windows of demands, periods of drifting demand, assignments,
/// path search.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "online/learner_table.hpp"
#include "sections.hpp"
#include "traffic/assignment.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

struct TownFiles {
    const char* name;
    const char* net;
    const char* trips;
    Real toll, length;  // what a minute is worth of them
};
constexpr TownFiles kChicago{"Chicago-Sketch", "tntp/Chicago-Sketch/ChicagoSketch_net.tntp",
                             "tntp/Chicago-Sketch/ChicagoSketch_trips.tntp", 0.02, 0.04};
constexpr TownFiles kAnaheim{"Anaheim", "tntp/Anaheim/Anaheim_net.tntp", "tntp/Anaheim/Anaheim_trips.tntp", 0,
                             0};
constexpr TownFiles kSiouxFalls{"SiouxFalls", "tntp/SiouxFalls/SiouxFalls_net.tntp",
                                "tntp/SiouxFalls/SiouxFalls_trips.tntp", 0, 0};

struct Town {
    NetworkFile file;
    std::shared_ptr<Routing> routing;
};

/// One path a pair, with room for more, or several.
Town open_town(Bench& bench, const TownFiles& files, Index paths, const char* objective) {
    Town town{open_network(*bench.data_file(files.net), {.trips_path = *bench.data_file(files.trips)}),
              nullptr};
    const Network& network = town.file.network;
    LinkCosts costs(network, "bpr", Objective::parse(objective), {files.toll, files.length});
    std::vector<Real> times;
    for (LinkIndex link = 0; link < network.links(); ++link) times.push_back(costs.time(link, 0).time);
    PathSet set =
        make_paths(network, town.file.trips->pairs, {.k = paths, .spare = paths == 1 ? 7U : 0U}, times).paths;
    town.routing = std::make_shared<Routing>(Routing{std::move(set), std::move(costs)});
    return town;
}

/// Every pair with its own error: no two periods are multiples of each other.
RowBlock noisy(const std::vector<Real>& demand, Real deviation, Round period) {
    std::vector<Real> drawn = demand;
    for (Index i = 0; i < drawn.size(); ++i)
        drawn[i] *= std::exp(deviation * normal({.seed = 1, .round = period, .sample = i}));
    RowBlock record;
    record.add_dense(drawn, 0);
    return record;
}

void window_gradient(Bench& bench, const TownFiles& files) {
    const Index window = bench.size(24, 3);
    const Town town = open_town(bench, files, 3, "system");
    DemandBatch batch(town.routing, window);
    for (Round t = 1; t <= window; ++t) batch.push(noisy(town.file.trips->demand, 0.1, t));
    const std::vector<Real> x = even_splits(town.routing->paths);
    const std::vector<Real> weights(window, 1 / static_cast<Real>(window));
    std::vector<Real> gradient(x.size()), single(x.size());
    Scratch scratch;
    const Effort effort = bench.effort(7);
    const auto on = [&](Index count) {
        return looped(
            [&, count] {
                set_threads(count);
                keep(batch.weighted_value_and_gradient(weights, x, gradient, scratch));
            },
            effort);
    };
    const auto one_by_one = [&] {
        set_threads(1);
        fill(gradient, 0);
        for (Index age = 0; age < window; ++age) {
            keep(batch.value_and_gradient(age, x, single, scratch));
            axpy(weights[age], single, gradient);
        }
    };
    const Timings timings = comparison({on(1), on(2), looped(one_by_one, effort)}, effort);
    set_threads(1);
    const Real one = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
    single = gradient;
    set_threads(2);
    const Real two = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
    set_threads(1);
    if (one != two || single != gradient) throw std::runtime_error("two threads give other bits");
    const std::string what = fmt::format("{}, gradient of a window of {} demands, {} paths", files.name,
                                         window, town.routing->paths.live_slots());
    bench.add({.name = fmt::format("traffic.{}-window", files.name),
               .measured = what,
               .against = "a gradient a demand, added up",
               .ratio = timings.ratio(2, 0),
               .figure = Figure{1e3 * timings.seconds(0).median, "ms"}});
    bench.add({.name = fmt::format("traffic.{}-window-threads", files.name),
               .measured = what + ", two threads",
               .against = "one thread",
               .ratio = timings.ratio(0, 1),
               .figure = Figure{1e3 * timings.seconds(1).median, "ms"},
               .wanted = ratio_at_least(1.7),
               .note = "same bits"});
}

void assignment(Bench& bench, const TownFiles& files, const char* objective, Real gap) {
    const Town fresh = open_town(bench, files, 1, objective);
    const DemandColumn column{fresh.file.trips->demand};
    const ColumnUse use{};
    Real reached = 0;
    const auto on = [&](Index count) {
        // Paths are found on the way: every repeat begins with those of an empty network.
        return [&, count] {
            Routing routing = *fresh.routing;
            std::vector<Real> x = even_splits(routing.paths);
            ColumnPricer pricer(fresh.file.network);
            Scratch scratch;
            set_threads(count);
            const double seconds = once([&] {
                reached =
                    solve_assignment(routing, pricer, {{&column, 1}, {&use, 1}, 1}, x, {.gap = gap}, scratch)
                        .last.gap;
            })();
            set_threads(1);
            return seconds;
        };
    };
    const Timings timings = comparison({on(1), on(2)}, bench.effort(5));
    bench.add({.name = fmt::format("traffic.{}-assignment-{}-{:.0e}", files.name, objective, gap),
               .measured = fmt::format("{}, {} optimum from nothing, two threads", files.name, objective),
               .against = "one thread",
               .ratio = timings.ratio(0, 1),
               .figure = Figure{timings.seconds(1).median, "s"},
               .note = fmt::format("relative gap {:.1e}", reached)});
}

std::unique_ptr<AnyLearner> learner_of_six(const std::shared_ptr<const Routing>& routing,
                                           const std::vector<Real>& start) {
    return make_learner(
        "time-smoothed",
        {.g = AnyRegulariser(SplitSet(routing)),
         .make_batch = [routing](Index capacity) { return AnyBatch(DemandBatch(routing, capacity)); },
         .start = start,
         .window = "6",
         .step = 1,
         .smoothness = 1,
         .tolerance = Tolerance::automatic(0),
         .budget = {.max_steps = 20},
         .inner = "blocks"});
}

struct Player {
    std::unique_ptr<AnyLearner> learner;
    Index threads;
    std::vector<double> seconds = {};
};

/// The demand after so many rises of 2 %.
std::vector<Real> risen(const Town& town, Index steps) {
    std::vector<Real> demand = town.file.trips->demand;
    scaled(std::pow(1.02, static_cast<Real>(steps)), demand, demand);
    return demand;
}

/// The relative gaps of splits: over the newest six demands together, and for the newest demand alone.
class WindowGaps {
  public:
    WindowGaps(const Town& town, ColumnPricer& pricer) : routing_(*town.routing), pricer_(pricer) {}

    void push(const RowBlock& record) {
        window_.push_back(record);
        if (window_.size() > 6) window_.pop_front();
    }
    void measure(ConstView splits) {
        std::vector<DemandColumn> columns;
        std::vector<ColumnUse> uses;
        for (const RowBlock& each : window_) {
            uses.push_back({.column = columns.size(), .scale = 1, .weight = 1.0 / 6});
            columns.push_back({each.values(0)});
        }
        const ColumnUse newest{};
        together.push_back(pricer_.price(routing_, {columns, uses, 1}, splits, 1e-6, scratch_).gap());
        alone.push_back(
            pricer_.price(routing_, {{&columns.back(), 1}, {&newest, 1}, 1}, splits, 1e-6, scratch_).gap());
    }

    std::vector<double> together, alone;

  private:
    const Routing& routing_;
    ColumnPricer& pricer_;
    std::deque<RowBlock> window_;
    Scratch scratch_;
};

/// A period of w = 6 when demand rises and falls by 2 % a period: for all pairs alike, or with an additional
/// error of every pair.
void drifting(Bench& bench, const TownFiles& files, Real deviation, bool wanted) {
    const Town town = open_town(bench, files, 1, "system");
    Routing& routing = *town.routing;
    std::vector<Real> x = even_splits(routing.paths);
    ColumnPricer pricer(town.file.network);
    const DemandColumn column{town.file.trips->demand};
    const ColumnUse use{};
    Scratch scratch;
    set_threads(2);
    // Paths as they would be there after a day of generating them: for the highest demand, and for the
    // lowest.
    constexpr Index kRise = 8;
    const std::vector<Real> highest = risen(town, kRise);
    const DemandColumn high{highest};
    const AssignmentOptions until{.gap = bench.quick() ? 1e-3 : 1e-6};
    solve_assignment(routing, pricer, {{&high, 1}, {&use, 1}, 1}, x, until, scratch);
    solve_assignment(routing, pricer, {{&column, 1}, {&use, 1}, 1}, x, until, scratch);
    routing.unit = evaluate(routing, {{&column, 1}, {&use, 1}, 1}, x, {}, scratch);
    const auto shared = std::shared_ptr<const Routing>(town.routing);
    // The same periods on one thread and on two, a learner each; the referee's gap is not timed.
    Player players[] = {{learner_of_six(shared, x), 1}, {learner_of_six(shared, x), 2}};
    const Index warm = 6, periods = bench.size(18, 2);
    WindowGaps gaps(town, pricer);
    std::vector<double> ratios;
    for (Round period = 1; period <= warm + periods; ++period) {
        const Index phase = period % (2 * kRise);  // up and down again
        const RowBlock record = noisy(risen(town, std::min(phase, 2 * kRise - phase)), deviation, period);
        for (Player& player : players) {
            set_threads(player.threads);
            const double seconds = once([&] { player.learner->observe(record); })();
            if (period > warm) player.seconds.push_back(seconds);
        }
        gaps.push(record);
        if (period <= warm) continue;
        ratios.push_back(players[0].seconds.back() / players[1].seconds.back());
        gaps.measure(players[1].learner->decide());
    }
    const Spread gap = spread_of(gaps.together);
    const double worst = *std::max_element(gaps.together.begin(), gaps.together.end());
    const double last_gap =
        std::accumulate(gaps.alone.begin(), gaps.alone.end(), 0.0) / static_cast<double>(periods);
    set_threads(1);
    bench.add(
        {.name = fmt::format("traffic.{}-period-{}", files.name, deviation > 0 ? "each-its-own" : "alike"),
         .measured = fmt::format("{}, a period, w = 6, demand +-2 % a period {}, two threads", files.name,
                                 deviation > 0 ? "with every pair's own 2 % on top" : "for all pairs alike"),
         .against = "one thread",
         .ratio = spread_of(ratios),
         .figure = Figure{spread_of(players[1].seconds).median, "s"},
         .wanted = wanted ? std::optional(figure_below(0.1)) : std::nullopt,
         .note = fmt::format(
             "relative gap of the window {:.1e} in the median, {:.1e} at worst; of the demand just "
             "seen {:.1e}",
             gap.median, worst, last_gap),
         .unfit = gap.median > 1e-4 ? fmt::format("the gap is {:.1e}, not 1e-4", gap.median) : ""});
}

void path_search(Bench& bench, const TownFiles& files) {
    const NetworkFile file =
        open_network(*bench.data_file(files.net), {.trips_path = *bench.data_file(files.trips)});
    std::vector<Real> costs;
    for (const Link& link : file.network.all_links())
        costs.push_back(link.free_time + files.toll * link.toll + files.length * link.length);
    Index live = 0;
    const auto on = [&](Index count) {
        return once([&, count] {
            set_threads(count);
            live = make_paths(file.network, file.trips->pairs, {.k = 3}, costs).paths.live_slots();
            set_threads(1);
        });
    };
    const Timings timings = comparison({on(1), on(2)}, bench.effort(3));
    bench.add({.name = fmt::format("traffic.{}-paths", files.name),
               .measured = fmt::format("{}, three shortest paths of all pairs, two threads", files.name),
               .against = "one thread",
               .ratio = timings.ratio(0, 1),
               .figure = Figure{timings.seconds(1).median, "s"},
               .note = fmt::format("{} paths", live)});
}

/// Measures if the town's files are there.
void on_town(Bench& bench, const std::string& group, const TownFiles& files,
             const std::function<void()>& measure) {
    bench.group(group, [&] {
        for (const char* name : {files.net, files.trips}) {
            if (!bench.data_file(name)) return bench.skip_data(group, files.name, name);
        }
        measure();
    });
}

}  // namespace

void traffic_rows(Bench& bench) {
    // A quick run takes a small town for the large one.
    const TownFiles& large = bench.quick() ? kSiouxFalls : kChicago;
    const TownFiles& middle = bench.quick() ? kSiouxFalls : kAnaheim;
    on_town(bench, "traffic.period", large, [&] {
        drifting(bench, large, 0, true);
        drifting(bench, large, 0.02, true);
    });
    on_town(bench, "traffic.window", large, [&] { window_gradient(bench, large); });
    on_town(bench, "traffic.window-middle", middle, [&] { window_gradient(bench, middle); });
    on_town(bench, "traffic.assignment", large, [&] {
        for (const char* objective : {"user", "system"}) {
            for (const Real gap : {1e-4, 1e-6})
                assignment(bench, large, objective, bench.quick() ? 1e-2 : gap);
        }
    });
    on_town(bench, "traffic.paths", large, [&] { path_search(bench, large); });
}

}  // namespace proxstream::bench
