#include "proxstream/core/draw.hpp"

#include "study/function_learner.hpp"
#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kRegretW = "regret_w";        // Reg_w/T of Hazan's stream, for the stream's own window
constexpr const char* kUpperBound = "upper_bound";  // C3c of the learner with that window, over T
constexpr const char* kLowerBound = "lower bound";  // as a method: what nobody is below in the mean

/// On [-1, 1] with lines: a policy is anything that plays before it sees. `window` is the stream's.
struct Policy {
    const char* name;
    std::unique_ptr<FunctionLearner> (*make)(Index window, Real step);
};

FunctionProblem interval(Index window, Real step, Real start = 0) {
    return {.reg = "box:-1,1", .start = {start}, .window = window, .step = step, .smoothness = kFlat};
}

constexpr Real kW1Delta = 0.5;

constexpr std::array<Policy, 6> kPolicies{{
    {"time-smoothed", [](Index w, Real step) { return make_smoothed(interval(w, step), kW1Delta); }},
    {"time-smoothed, model zero",
     [](Index w, Real step) {
         return make_smoothed(interval(w, step), kW1Delta, ModelRule{ModelRule::Kind::zero});
     }},
    {"time-smoothed, w = 1", [](Index, Real step) { return make_smoothed(interval(1, step), kW1Delta); }},
    {"prox-gradient", [](Index w, Real step) { return make_prox_gradient(interval(w, step)); }},
    {"stays at 0", [](Index w, Real step) { return make_smoothed(interval(w, step, 0), kStay); }},
    {"stays at 1", [](Index w, Real step) { return make_smoothed(interval(w, step, 1), kStay); }},
}};

/// How long the first policy's window is on the paper's stream, where the judge has w = 1.
constexpr Index kLongWindow = 16;
constexpr std::array<Real, 5> kSteps1{0.5, 1, 1.4142135623730951, 2, 4};

struct Lengths {
    Round rounds;
    std::vector<Round> checkpoints;  // rounds at which the regret so far is written down
    std::vector<Index> windows;      // of Hazan's stream: even
};

Lengths lengths_of(StudyPreset preset) {
    if (preset == StudyPreset::full) {
        return {32'768, {128, 512, 2048, 8192, 32'768}, {4, 8, 16, 32, 64, 128}};
    }
    return {2048, {128, 512, 2048}, {4, 8, 16, 32}};
}

Real fair_sign(std::uint64_t seed, Round t) {
    return uniform({.seed = seed, .round = t}) < 0.5 ? -1 : 1;
}

std::string coin_stream(Real step) {
    return fmt::format("coin, eta = {:.3g}", step);
}
std::string hazan_stream(Index window) {
    return fmt::format("Hazan, w = {}", window);
}
std::string checkpoint(Round rounds) {
    return fmt::format("sum_{}", rounds);
}

Real coin_bound(Real step) {
    return std::min<Real>(0.5, 1 / (step * step));
}
/// A quarter of the rounds are drawn, and each costs at least 1/(2 w^2) in the mean.
Real hazan_bound(Index window) {
    return 1 / (8 * static_cast<Real>(window) * static_cast<Real>(window));
}

/// The sum of squared residuals of a policy for a judge of `window`.
class JudgedCoin {
  public:
    JudgedCoin(Index window, Real step) : meter_(make_meter(interval(window, step), {window})) {}
    const LossFunction& reveal(LossFunction loss, ConstView x) {
        loss_ = std::move(loss);
        meter_.measure(loss_, x);
        regret_ += meter_.residuals()[0] * meter_.residuals()[0];
        return loss_;
    }
    Real regret() const { return regret_; }

  private:
    FunctionMeter meter_;
    LossFunction loss_;
    Real regret_ = 0;
};

/// The paper's example: f_t = +-x with a fair coin.
CellResult run_coin(Real step, const Lengths& lengths, std::uint64_t seed, StopFlag stop,
                    const std::function<void(Real)>& on_share) {
    CellResult result;
    const auto rounds = static_cast<Real>(lengths.rounds);
    const auto add = [&](const char* method, const std::string& figure, Real value) {
        result.measurements.push_back({coin_stream(step), method, figure, seed, value});
    };
    for (Index i = 0; i < kPolicies.size(); ++i) {
        const Policy& policy = kPolicies[i];
        const auto learner = policy.make(kLongWindow, step);
        JudgedCoin judged(1, step);
        const PlayedRun run = play(
            *learner, lengths.rounds, stop,
            [&](Round t, ConstView x) { return judged.reveal(line(fair_sign(seed, t)), x); },
            [&](const RoundReport& report) {
                const auto& marks = lengths.checkpoints;
                if (std::find(marks.begin(), marks.end(), report.round) == marks.end()) return;
                add(policy.name, checkpoint(report.round), judged.regret());
            });
        note_run(run, policy.name, result);
        add(policy.name, kRegretOne, judged.regret() / rounds);
        on_share(static_cast<Real>(i + 1) / static_cast<Real>(kPolicies.size()));
    }
    add(kLowerBound, kRegretOne, coin_bound(step));
    return result;
}

/// Hazan, Singh and Zhang (2017), Theorem 2.7: segments of 2w rounds. In the first half, f_t = +-x with a
/// fair coin in odd rounds, and the opposite of it in the next; zero in the second half. So in every odd
/// round of a first half the window holds f_t and pairs that cancel: S_t = f_t/w, with a sign nobody knows
/// beforehand.
LossFunction hazan_loss(Index window, std::uint64_t seed, Round t) {
    const Round place = (t - 1) % (2 * window);
    if (place >= window) return line(0);
    const bool drawn = place % 2 == 0;
    return line(drawn ? fair_sign(seed, t) : -fair_sign(seed, t - 1));
}

CellResult run_hazan(Index window, const Lengths& lengths, std::uint64_t seed, StopFlag stop,
                     const std::function<void(Real)>& on_share) {
    CellResult result;
    const auto rounds = static_cast<Real>(lengths.rounds);
    const auto add = [&](const char* method, const char* figure, Real value) {
        result.measurements.push_back({hazan_stream(window), method, figure, seed, value});
    };
    for (Index i = 0; i < kPolicies.size(); ++i) {
        const Policy& policy = kPolicies[i];
        const auto learner = policy.make(window, 1);
        JudgedCoin judged(window, 1);
        const PlayedRun run = play(
            *learner, lengths.rounds, stop,
            [&](Round t, ConstView x) { return judged.reveal(hazan_loss(window, seed, t), x); },
            [](const RoundReport&) {});
        note_run(run, policy.name, result);
        add(policy.name, kRegretW, judged.regret() / rounds);
        if (i == 0) add(policy.name, kUpperBound, run.certificate.at("C3c").right / rounds);
        on_share(static_cast<Real>(i + 1) / static_cast<Real>(kPolicies.size()));
    }
    add(kLowerBound, kRegretW, hazan_bound(window));
    return result;
}

std::vector<StudyCell> make_cells(const Lengths& lengths, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const Real step : kSteps1) {
            cells.push_back({fmt::format("{}, seed {}", coin_stream(step), seed),
                             [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                 return run_coin(step, lengths, seed, stop, on_share);
                             }});
        }
        for (const Index window : lengths.windows) {
            cells.push_back({fmt::format("{}, seed {}", hazan_stream(window), seed),
                             [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                 return run_hazan(window, lengths, seed, stop, on_share);
                             }});
        }
    }
    return cells;
}

std::vector<ChartPoint> by_window(const ResultTable& table, const Lengths& lengths, const char* method,
                                  const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index window : lengths.windows) {
        line.push_back(point_of(table, hazan_stream(window), method, static_cast<Real>(window), figure));
    }
    return line;
}

std::vector<ChartPoint> by_step(const ResultTable& table, const char* method) {
    std::vector<ChartPoint> line;
    for (const Real step : kSteps1)
        line.push_back(point_of(table, coin_stream(step), method, step, kRegretOne));
    return line;
}

std::vector<ChartPoint> by_rounds(const ResultTable& table, const Lengths& lengths, const char* method) {
    std::vector<ChartPoint> line;
    for (const Round rounds : lengths.checkpoints) {
        line.push_back(
            point_of(table, coin_stream(1), method, static_cast<Real>(rounds), checkpoint(rounds).c_str()));
    }
    return line;
}

std::vector<NamedChart> charts(const ResultTable& table, const Lengths& lengths) {
    Chart coin{"Window 1: no policy escapes",
               fmt::format("f_t = +-x on [-1, 1], fair coins, T = {}", lengths.rounds),
               {}};
    Chart linear{"Window 1: regret is linear", "the same with eta = 1", {}};
    Chart hazan{"Window w: no policy is below T/(8 w^2)",
                fmt::format("Hazan's stream, T = {}, eta = 1", lengths.rounds),
                {}};
    Panel& of_steps = coin.panels.emplace_back();
    of_steps.x = {"step eta", Scale::log};
    of_steps.y = {"Reg_1 / T", Scale::log};
    Panel& of_rounds = linear.panels.emplace_back();
    of_rounds.x = {"rounds T", Scale::log};
    of_rounds.y = {"Reg_1(T)", Scale::log};
    Panel& of_windows = hazan.panels.emplace_back();
    of_windows.x = {"window w", Scale::log2};
    of_windows.y = {"Reg_w / T", Scale::log};
    for (const Policy& policy : kPolicies) {
        of_steps.series.push_back({policy.name, by_step(table, policy.name)});
        of_rounds.series.push_back({policy.name, by_rounds(table, lengths, policy.name)});
        of_windows.series.push_back({policy.name, by_window(table, lengths, policy.name, kRegretW)});
    }
    of_steps.series.push_back({kLowerBound, by_step(table, kLowerBound), Mark::band});
    ChartSeries& from_below = of_rounds.series.emplace_back(ChartSeries{kLowerBound, {}, Mark::band});
    for (const Round rounds : lengths.checkpoints) {
        from_below.points.push_back({static_cast<Real>(rounds), coin_bound(1) * static_cast<Real>(rounds)});
    }
    of_windows.series.push_back({kLowerBound, by_window(table, lengths, kLowerBound, kRegretW), Mark::band});
    of_windows.series.push_back({"time-smoothed: bound (C3c)",
                                 by_window(table, lengths, kPolicies.front().name, kUpperBound), Mark::band});
    return {{"coin.svg", coin}, {"linear.svg", linear}, {"hazan.svg", hazan}};
}

/// The least mean over its bound among all policies and streams.
template <class Points>
Estimate least_ratio(const Points& points) {
    Estimate least;
    const std::vector<ChartPoint> bound = points(kLowerBound);
    for (const Policy& policy : kPolicies) {
        const std::vector<ChartPoint> line = points(policy.name);
        for (std::size_t i = 0; i < line.size(); ++i) {
            const Real ratio = line[i].y / bound[i].y;
            if (least.count == 0 || ratio < least.mean) least = {1, ratio, line[i].y_error / bound[i].y};
        }
    }
    return least;
}

std::vector<Finding> findings(const ResultTable& table, const Lengths& lengths, Index seeds) {
    // A mean of so many coins is this far off, at most.
    const Real draws = static_cast<Real>(lengths.rounds) * static_cast<Real>(seeds);
    const Real coin_slack = 4 / std::sqrt(draws);
    const Real hazan_slack = 2 * coin_slack;  // a quarter of the rounds are drawn
    const auto coin_ratio = [&](Real step, const char* method) {
        return over(table.at(coin_stream(step), method, kRegretOne), coin_bound(step));
    };
    std::vector<Finding> found{
        {"coin: least Reg_1/T over min(1/2, 1/eta^2), all policies and steps",
         least_ratio([&](const char* method) { return by_step(table, method); }), 1 - coin_slack,
         1 + coin_slack, "\">= O(T)\""},
        {"coin, eta = 1: who stays at 1 attains it", coin_ratio(1, "stays at 1"), 1 - coin_slack,
         1 + coin_slack},
        {"coin, eta = 4: who stays at 0 attains it", coin_ratio(4, "stays at 0"), 1 - 1e-9, 1 + 1e-9},
        {"Hazan: least Reg_w/T over 1/(8 w^2), all policies and windows",
         least_ratio([&](const char* method) { return by_window(table, lengths, method, kRegretW); }),
         1 - hazan_slack, 1 + hazan_slack},
    };
    for (const Policy& policy : kPolicies) {
        found.push_back({fmt::format("coin, {}: slope of Reg_1(T) against T, log-log", policy.name),
                         log_log_slope(by_rounds(table, lengths, policy.name)), 0.9, 1.1});
    }
    for (const Policy& policy : kPolicies) {
        found.push_back({fmt::format("Hazan, {}: slope of Reg_w/T against w, log-log", policy.name),
                         log_log_slope(by_window(table, lengths, policy.name, kRegretW)), -2.1, -1.8});
    }
    return found;
}

}  // namespace

StudyPlan plan_w1(StudyPreset preset, Index seeds) {
    const Lengths lengths = lengths_of(preset);
    StudyPlan plan;
    plan.question = fmt::format(
        "What can no policy avoid? With w = 1, the paper's example: f_t = +-x on [-1, 1] with fair coins "
        "costs "
        "everybody at least\nmin(1/2, 1/eta^2) a round in the mean, whatever they play (the time-smoothed "
        "learner has w = {} here, its judge w = 1). With\nw > 1, the stream of Hazan, Singh and Zhang (2017, "
        "Theorem 2.7), eta = 1: at least T/(8 w^2).",
        kLongWindow);
    plan.figures = {{kRegretOne, "regret of window 1, Reg_1/T", Better::neither},
                    {kRegretW, "regret of the stream's window, Reg_w/T", Better::neither},
                    {kUpperBound, "what Theorem 1' promised (C3c)", Better::neither}};
    plan.cells = make_cells(lengths, seeds);
    plan.charts = [lengths](const ResultTable& table) { return charts(table, lengths); };
    plan.findings = [lengths, seeds](const ResultTable& table) { return findings(table, lengths, seeds); };
    plan.glossary = {
        {"coin", "g = indicator of [-1, 1], f_t = x or -x with probability 1/2 each"},
        {"Hazan",
         "segments of 2w rounds; first half: f_t = x or -x with probability 1/2 each in odd rounds, f_t = "
         "-f_{t-1} in even ones; second half: f_t = 0; w even"},
        {"time-smoothed", fmt::format("Algorithm 1, delta = {}", kW1Delta)},
        {"prox-gradient", "x_{t+1} = prox(x_t - eta grad f_t(x_t))"}};
    return plan;
}

}  // namespace proxstream
