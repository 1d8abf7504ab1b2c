/// How cost grows with n, w and T: exponents of power laws fitted to medians over sizes that double.
#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "fixtures.hpp"
#include "loss/linear_family.hpp"
#include "online/time_smoothed.hpp"
#include "run/learn_run.hpp"
#include "sections.hpp"
#include "solve/prox_grad.hpp"
#include "studies/study.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

/// Rounds in which the tolerance is never exceeded, over a cycle of ready-made records.
class QuietRounds {
  public:
    QuietRounds(Index features, Index window)
        : learner_(parse_regulariser("l1:0.01"),
                   LinearFamily({.formula = ScalarFormula::squared}, features, true).make_batch(window + 1),
                   std::vector<Real>(features + 1),
                   {.window = window, .step = 0.1, .tolerance = Tolerance::fixed(1e9), .budget = {}},
                   ProxGrad(1)) {
        std::vector<Real> row(features);
        for (std::uint64_t t = 0; t < kCycle; ++t) {
            for (Index i = 0; i < features; ++i) row[i] = normal({.seed = 1, .round = t, .sample = i});
            records_.emplace_back();
            records_.back().add_dense(row, normal({.seed = 2, .round = t}));
        }
        for (Index t = 0; t < 2 * window; ++t) round();
    }
    void round() {
        if (learner_.observe(records_[next_++ % kCycle]).status != RoundStatus::quiet)
            throw std::runtime_error("a round was not quiet");
    }

  private:
    static constexpr std::uint64_t kCycle = 7;  // few enough to be as warm as a record that was just read
    TimeSmoothed learner_;
    std::vector<RowBlock> records_;
    std::uint64_t next_ = 0;
};

/// A work whose time should grow like a power of a size.
struct Growth {
    std::string name;
    std::string what;
    std::string of;  // the symbol of the size
    std::vector<Index> sizes;
    std::vector<Timed> timed;  // for each size
    double expected;           // exponent
};

/// Adds the exponent of the medians, with the range over the repeats in the note.
void add_exponent(Bench& bench, const Effort& effort, const Growth& growth) {
    const auto& [name, what, of, sizes, timed, expected] = growth;
    std::vector<std::vector<double>> seconds(sizes.size());
    std::vector<double> slopes;
    for (int repeat = 0; repeat < effort.repeats; ++repeat) {
        std::vector<ChartPoint> points;
        for (Index i = 0; i < sizes.size(); ++i) {
            seconds[i].push_back(timed[i]());
            points.push_back({.x = static_cast<Real>(sizes[i]), .y = seconds[i].back()});
        }
        slopes.push_back(log_log_slope(points).mean);
    }
    std::vector<ChartPoint> medians;
    for (Index i = 0; i < sizes.size(); ++i)
        medians.push_back({.x = static_cast<Real>(sizes[i]), .y = spread_of(seconds[i]).median});
    const Spread slope = spread_of(slopes);
    bench.add({.name = "cost." + name,
               .measured = what,
               .against = {},
               .figure = Figure{log_log_slope(medians).mean, "exponent"},
               .note = fmt::format(
                   "{} = {} to {}; over repeats [{:.2f}, {:.2f}]; {:.3g} us to {:.3g} us; expected {}", of,
                   sizes.front(), sizes.back(), slope.low, slope.high, 1e6 * medians.front().y,
                   1e6 * medians.back().y, expected)});
}

std::vector<Index> doubling(Index first, Index count) {
    std::vector<Index> sizes;
    for (Index i = 0; i < count; ++i) sizes.push_back(first << i);
    return sizes;
}

void quiet_rounds(Bench& bench) {
    const Effort effort = bench.effort(7, 0.02);
    const auto over = [&](const std::vector<Index>& sizes, auto make) {
        std::vector<Timed> timed;
        for (const Index size : sizes) {
            const auto rounds = std::make_shared<QuietRounds>(make(size));
            timed.push_back(looped(
                [rounds] {
                    // Whole periods of re-anchoring, for windows as long as they are here.
                    for (int i = 0; i < 4096; ++i) rounds->round();
                },
                effort));
        }
        return timed;
    };
    const auto lengths = doubling(16, bench.quick() ? 2 : 8), features = doubling(16, bench.quick() ? 2 : 7);
    add_exponent(bench, effort,
                 {"quiet-w", "4096 quiet rounds, n = 64, against w", "w", lengths,
                  over(lengths, [](Index w) { return QuietRounds(64, w); }), 0});
    add_exponent(bench, effort,
                 {"quiet-n", "4096 quiet rounds, w = 64, against n", "n", features,
                  over(features, [](Index n) { return QuietRounds(n, 64); }), 1});
}

void passes(Bench& bench) {
    const Effort effort = bench.effort(7, 0.01);
    const auto over = [&](const std::vector<Index>& sizes, auto shape) {
        std::vector<Timed> timed;
        for (const Index size : sizes) {
            const auto window = std::make_shared<FullWindow>(full_window(shape(size)));
            timed.push_back(looped([window] { keep(window->pass()); }, effort));
        }
        return timed;
    };
    const auto lengths = doubling(16, bench.quick() ? 2 : 6), features = doubling(32, bench.quick() ? 2 : 6);
    add_exponent(bench, effort,
                 {"pass-w", "a pass, n = 64, against w", "w", lengths,
                  over(lengths, [](Index w) { return WindowShape{.features = 64, .window = w}; }), 1});
    add_exponent(bench, effort,
                 {"pass-n", "a pass, w = 64, against n", "n", features,
                  over(features, [](Index n) { return WindowShape{.features = n, .window = 64}; }), 1});
}

void runs(Bench& bench) {
    const Effort effort = bench.effort(5);
    const auto lengths = doubling(bench.size(2000, 200), bench.quick() ? 2 : 5);
    std::vector<Timed> timed;
    for (const Index rounds : lengths) {
        timed.push_back(once([rounds] {
            LearnSettings settings;
            settings.data = {"builtin:drift"};
            settings.window = "32";
            settings.rounds = rounds;
            settings.quiet = true;
            LearnRun run(settings, nullptr);
            keep(drive(run).seconds);
        }));
    }
    add_exponent(bench, effort,
                 {"run-t", "a run of learn on a drifting stream, w = 32, against T", "T", lengths, timed, 1});
}

}  // namespace

void cost_rows(Bench& bench) {
    bench.group("cost.quiet", [&] { quiet_rounds(bench); });
    bench.group("cost.pass", [&] { passes(bench); });
    bench.group("cost.run", [&] { runs(bench); });
}

}  // namespace proxstream::bench
