/// The bias of an estimate that is selected because it passes a test.
#include "proxstream/core/draw.hpp"

#include "studies/learners.hpp"
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <array>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kExit{"exit", "exit",
                            Better::lower};   // mean of r_t^2 over rho^2: the true gap at the end
constexpr StudyFigure kSeen{"seen", "seen"};  // the same of the gap that was tested
constexpr StudyFigure kOptimism{"optimism", "optimism", Better::lower};  // r_t less the tested gap, over rho
constexpr StudyFigure kKept{"kept_noise", "E|e_kept|^2/s^2"};            // noise of the last estimate
constexpr StudyFigure kFirst{"first_noise", "E|e_first|^2/s^2"};         // noise of the first estimate
constexpr StudyFigure kPasses{"passes", "estimates a round", Better::lower};

constexpr Index kSelectionWindow = 8;
constexpr Real kLevel = 0.5;  // s, of additive noise
constexpr Real kJump = 80;    // minima are at +-kJump, so a round moves by 2 kJump/w or not at all

/// f(x) = (x - centre)^2 / 2 on the line.
LossFunction valley(Real centre) {
    return [centre](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = x[0] - centre;
        return (x[0] - centre) * (x[0] - centre) / 2;
    };
}

const std::array<Method, 4> kSelectionMethods{{{"paper", "variant=paper"},
                                               {"fresh", "confirm=1"},
                                               {"fresh, confirm 2", "confirm=2"},
                                               {"fresh, confirm 3", "confirm=3"}}};

void run_noise(const std::string& oracle, Round rounds, Cell& cell) {
    constexpr Real kTolerance = 1;  // rho
    const std::string text = paper_learner(kSelectionWindow, kTolerance * kSelectionWindow,
                                           fmt::format(",oracle=({}),{}", oracle, cell.method().text));
    const auto learner = make_learner({.step = 0.05, .smoothness = 1}, text, cell.seed);
    Real exits = 0, seen = 0, optimism = 0, kept = 0, first = 0;
    const Certificate certificate = play(
        *learner, rounds, cell,
        [&](Round t, ConstView /*x*/) {
            return valley(uniform({.seed = cell.seed, .round = t, .sample = 1}) < 0.5 ? -kJump : kJump);
        },
        [&](const RoundReport& report) {
            exits += report.exit_gap * report.exit_gap;
            seen += report.tested_gap * report.tested_gap;
            optimism += report.exit_gap - report.tested_gap;
            kept += report.kept_noise * report.kept_noise;
            first += report.first_noise * report.first_noise;
        });
    const auto add = [&](const std::string& figure, Real sum) {
        cell.add(figure, sum / static_cast<Real>(rounds));
    };
    add(kExit, exits);
    add(kSeen, seen);
    add(kOptimism, optimism);
    if (!oracle.starts_with("dropout")) {
        add(kKept, kept / (kLevel * kLevel));
        add(kFirst, first / (kLevel * kLevel));
    }
    add(kScaledRegret, kSelectionWindow * kSelectionWindow * certificate.summary.regret);
    add(kPasses, static_cast<Real>(certificate.summary.totals.cost.passes));
}

}  // namespace

StudyPlan plan_selection(StudyPreset preset) {
    const Round rounds = preset == StudyPreset::full ? 5000 : 500;
    StudyPlan plan;
    plan.question =
        "A round ends with the first estimate that passes its test, so that estimate is selected, not drawn. "
        "How far is it off, and how\nlarge is the true gap at the end of a round? Each round walks down a "
        "valley whose minimum has moved, or stays. `seen` is the\nmean square of the gap that the test saw "
        "and `exit` of the true one, both over rho^2; optimism is how much better than the\ntruth the test "
        "looked. With the paper's variant, with all gradients redrawn when a round begins, and with 2 or 3 "
        "estimates\nthat have to pass.";
    plan.subtitle = "quadratic valleys, w = 8, rho = 1, s = 0.5, eta L = 0.05";
    plan.figures = {kExit, kSeen, kOptimism, kScaledRegret, kPasses, kKept, kFirst};
    for (const std::string oracle :
         {"gaussian:0.5,noise=shared", "heavy:0.5,tail=2.5,noise=shared", "dropout:0.03,noise=shared"}) {
        const std::string name = oracle.substr(0, oracle.find(':'));
        plan.streams.push_back({.name = name,
                                .text = oracle,
                                .methods = {kSelectionMethods.begin(), kSelectionMethods.end()},
                                .run = [=](Cell& cell) { run_noise(oracle, rounds, cell); }});
        plan.expectations.push_back({Measure::value, name, "fresh", kOptimism, 0.05, kInfinity, "0"});
        plan.expectations.push_back(
            {Measure::value, name, "fresh, confirm 3", kOptimism, -1, 0.8, "", "fresh"});
    }
    const std::vector<Expectation> more{
        {Measure::value, "gaussian", "fresh", kFirst, 0.85, 1.15, "1"},  // not selected
        {Measure::value, "gaussian", "fresh", kKept, 1.3, 10, "at most 1"},
        {Measure::value, "heavy", "fresh", kKept, 1.1, 100, "at most 1"},
        {Measure::value, "dropout", "fresh", kExit, 4},
        {Measure::value, "dropout", "fresh, confirm 2", kExit, 0, 0.5, "", "fresh"},
        {Measure::value, "dropout", "fresh, confirm 3", kExit, 0, 0.3, "", "fresh"},
        {Measure::value, "gaussian", "paper", kFirst, 1.2, 10, "at most 1"}};  // it contains kept answers
    plan.expectations.insert(plan.expectations.end(), more.begin(), more.end());
    constexpr auto kOne = ChartPlan::Panels::one;
    plan.charts = {
        {"exit.svg", "True gap at the end of a round", {"E r_t^2 / rho^2"}, {{kExit}}, "", {}, kOne},
        {"noise.svg",
         "Noise of the last estimate of a round",
         {"E|e|^2 / s^2"},
         {{kKept}},
         "",
         {},
         kOne,
         {"gaussian", "heavy"}},
        {"passes.svg", "What it costs", {"estimates a round"}, {{kPasses}}, "", {}, kOne}};
    return plan;
}

}  // namespace proxstream
