#include "proxstream/core/draw.hpp"

#include "study/function_learner.hpp"
#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/stream_study.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kExit = "exit";          // mean of r_t^2 over rho^2: the true residual left behind
constexpr const char* kSeen = "seen";          // the same of what the test saw
constexpr const char* kOptimism = "optimism";  // mean of r_t less what the test saw, over rho
constexpr const char* kKept = "kept_noise";    // mean square of the kept estimate's noise, over s^2
constexpr const char* kFirst = "first_noise";  // the same of the round's first estimate
constexpr const char* kPasses = "passes";      // estimates a round

constexpr Index kSelectionWindow = 8;
constexpr Real kSelectionStep = 0.05;
constexpr Real kTolerance = 1;  // rho
constexpr Real kLevel = 0.5;    // s, of the additive kinds
constexpr Real kDrop = 0.03;    // of dropout
constexpr Real kJump = 80;      // where minima lie: a round has to walk 2 kJump/w, or not at all

/// f(x) = (x - centre)^2 / 2 on the line.
LossFunction valley(Real centre) {
    return [centre](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = x[0] - centre;
        return (x[0] - centre) * (x[0] - centre) / 2;
    };
}

struct NoiseRow {
    const char* name;
    const char* text;
    NoiseModel model;
};

const std::array kNoises{
    NoiseRow{"gaussian", "gaussian:0.5,noise=shared", {.kind = NoiseModel::Kind::gaussian, .sigma = kLevel}},
    NoiseRow{"heavy", "heavy:0.5,tail=2.5,noise=shared", {.kind = NoiseModel::Kind::heavy, .sigma = kLevel}},
    NoiseRow{"dropout", "dropout:0.03,noise=shared", {.kind = NoiseModel::Kind::dropout, .sigma = kDrop}},
};

struct SelectionRow {
    const char* name;
    EstimatorOptions::Kind variant;
    std::uint64_t confirm;
};

constexpr std::array kSelectionMethods{
    SelectionRow{"paper", EstimatorOptions::Kind::paper, 1},
    SelectionRow{"fresh", EstimatorOptions::Kind::fresh, 1},
    SelectionRow{"fresh, confirm 2", EstimatorOptions::Kind::fresh, 2},
    SelectionRow{"fresh, confirm 3", EstimatorOptions::Kind::fresh, 3},
};

CellResult run_cell(const NoiseRow& noise, const SelectionRow& method, Round rounds, std::uint64_t seed,
                    StopFlag stop, const std::function<void(Real)>& on_share) {
    const FunctionProblem problem{.window = kSelectionWindow, .step = kSelectionStep, .smoothness = 1};
    NoisySetting setting{AnyOracle(NoisyOracle(noise.model, 1, false)), noise.text};
    setting.estimator.kind = method.variant;
    setting.confirm = method.confirm;
    setting.seed = seed;
    const auto learner = make_noisy(problem, kTolerance * kSelectionWindow, setting);
    Real exits = 0;
    Real seen = 0;
    Real optimism = 0;
    Real kept = 0;
    Real first = 0;
    const PlayedRun run = play(
        *learner, rounds, stop,
        [seed](Round t, ConstView /*x*/) {
            return valley(uniform({.seed = seed, .round = t, .sample = 1}) < 0.5 ? -kJump : kJump);
        },
        [&](const RoundReport& report) {
            on_share(static_cast<Real>(report.round) / static_cast<Real>(rounds));
            exits += report.exit_residual * report.exit_residual;
            seen += report.tested_residual * report.tested_residual;
            optimism += report.exit_residual - report.tested_residual;
            kept += report.kept_noise * report.kept_noise;
            first += report.first_noise * report.first_noise;
        });
    CellResult result;
    note_run(run, method.name, result);
    const auto add = [&](const char* figure, Real sum) {
        result.measurements.push_back({noise.name, method.name, figure, seed, sum / run.rounds()});
    };
    add(kExit, exits / (kTolerance * kTolerance));
    add(kSeen, seen / (kTolerance * kTolerance));
    add(kOptimism, optimism / kTolerance);
    if (noise.model.additive()) {
        add(kKept, kept / (kLevel * kLevel));
        add(kFirst, first / (kLevel * kLevel));
    }
    add(kScaledRegret, kSelectionWindow * kSelectionWindow * run.certificate.summary.regret);
    add(kPasses, static_cast<Real>(run.certificate.summary.totals.cost.passes));
    return result;
}

Chart bars(const ResultTable& table, const char* title, const char* figure, const Axis& y,
           bool additive_only) {
    Chart chart;
    chart.title = title;
    chart.subtitle = fmt::format("quadratic valleys, w = {}, rho = {}, s = {}, eta L = {}", kSelectionWindow,
                                 kTolerance, kLevel, kSelectionStep);
    for (const NoiseRow& noise : kNoises) {
        if (additive_only && !noise.model.additive()) continue;
        Panel& panel = chart.panels.emplace_back();
        panel.title = noise.name;
        panel.y = y;
        panel.categories = {figure};
        for (const SelectionRow& method : kSelectionMethods) {
            panel.series.push_back(
                {method.name, {point_of(table, noise.name, method.name, Real{0}, figure)}, Mark::bar});
        }
    }
    return chart;
}

std::vector<Finding> selection_findings(const ResultTable& table) {
    const auto at = [&](const char* noise, const char* method, const char* figure) {
        return table.at(noise, method, figure);
    };
    const auto ratio = [&](const char* noise, const char* a, const char* b, const char* figure) {
        Estimate over = at(noise, a, figure);
        const Real below = at(noise, b, figure).mean;
        over.mean /= below;
        if (over.error) *over.error /= below;
        return over;
    };
    std::vector<Finding> found{
        {"gaussian, fresh: mean square of the first estimates' noise over s^2, which nobody selects",
         at("gaussian", "fresh", kFirst), 0.85, 1.15, "1"},
        {"gaussian, fresh: the same of the estimates that end a round", at("gaussian", "fresh", kKept), 1.3,
         10, "at most 1"},
        {"heavy, fresh: the same", at("heavy", "fresh", kKept), 1.1, 100, "at most 1"},
        {"dropout, fresh: mean square of the true residual left behind, over rho^2",
         at("dropout", "fresh", kExit), 4, kInfinity},
        {"dropout: the same with confirm 2 over that with one test",
         ratio("dropout", "fresh, confirm 2", "fresh", kExit), 0, 0.5},
        {"dropout: the same with confirm 3 over that with one test",
         ratio("dropout", "fresh, confirm 3", "fresh", kExit), 0, 0.3},
        {"gaussian, paper's variant: mean square of the first estimates' noise over s^2; they hold kept "
         "answers",
         at("gaussian", "paper", kFirst), 1.2, 10, "at most 1"},
    };
    for (const NoiseRow& noise : kNoises) {
        found.push_back({fmt::format("{}, fresh: how much worse than seen, in units of rho", noise.name),
                         at(noise.name, "fresh", kOptimism), 0.05, kInfinity, "0"});
        found.push_back({fmt::format("{}: the same with confirm 3 over that with one test", noise.name),
                         ratio(noise.name, "fresh, confirm 3", "fresh", kOptimism), -1, 0.8});
    }
    return found;
}

}  // namespace

StudyPlan plan_selection(StudyPreset preset, Index seeds) {
    const Round rounds = preset == StudyPreset::full ? 5000 : 500;
    StudyPlan plan;
    plan.question =
        "A round ends with the first estimate that passes, so that estimate is chosen, not drawn. How far is "
        "it "
        "off, and what is left\nbehind? Each round walks down a valley whose minimum has moved, or stays. "
        "`seen` "
        "is the mean square of the residual the test saw\nand `exit` of the true one, both over rho^2; "
        "optimism "
        "is how much better than the truth the test looked. With the paper's\nvariant, with all gradients "
        "redrawn "
        "when a round begins, and with 2 or 3 estimates that have to pass.";
    plan.figures = {{kExit, "exit"},
                    {kSeen, "seen", Better::neither},
                    {kOptimism, "optimism"},
                    {kScaledRegret, "w^2 Reg/T"},
                    {kPasses, "estimates a round"},
                    {kKept, "E|e_kept|^2/s^2", Better::neither},
                    {kFirst, "E|e_first|^2/s^2", Better::neither}};
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const NoiseRow& noise : kNoises) {
            for (const SelectionRow& method : kSelectionMethods) {
                plan.cells.push_back(
                    {fmt::format("{}, {}, seed {}", noise.name, method.name, seed),
                     [&noise, &method, rounds, seed](StopFlag stop, const std::function<void(Real)>& share) {
                         return run_cell(noise, method, rounds, seed, stop, share);
                     }});
            }
        }
    }
    for (const NoiseRow& noise : kNoises) plan.glossary.emplace_back(noise.name, noise.text);
    plan.charts = [](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"exit.svg",
             bars(table, "True residual a round leaves behind", kExit, {"E r_t^2 / rho^2"}, false)},
            {"noise.svg",
             bars(table, "Noise of the estimate a round ends with", kKept, {"E|e|^2 / s^2"}, true)},
            {"passes.svg", bars(table, "What it costs", kPasses, {"estimates a round"}, false)}};
    };
    plan.findings = selection_findings;
    return plan;
}

}  // namespace proxstream
