/// The number of updates of Algorithm 1: where the paper's O(w^2) is right, and where it is O(T w).
#include "proxstream/core/draw.hpp"

#include "core/find_row.hpp"
#include "studies/learners.hpp"
#include "studies/plans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kUpdates{"updates", "updates N"};
constexpr StudyFigure kClaimed{"claimed", "Theorem 3"};
constexpr StudyFigure kCorrected{"corrected", "corrected"};  // the lesser of (B1) and (B2)
constexpr StudyFigure kOverClaim{"over_claim", "N / Theorem 3"};
constexpr StudyFigure kOverProof{"over_corrected", "N / corrected"};
constexpr StudyFigure kLateRound{"late_round", "updates of the last round"};

/// Losses for one window, with the constants of the two bounds on the number of updates. g is the indicator
/// of an interval.
struct Course {
    Setting setting = {};
    Real delta = 0.999;
    Real bound = 1;         // M: |f_t| <= M
    Real value_change = 0;  // oscillation of f_t - f_{t-w}
    std::function<LossFunction(Round t)> loss = {};
};

struct CourseRow {
    const char* name;
    const char* formula;
    bool random;
    Course (*make)(Index window, std::uint64_t seed);
};

/// The adversary: w is odd, so S_t' = +-1/w alternates, just above the tolerance, and every round crosses
/// the interval.
Course alternating(Index /*window*/, std::uint64_t /*seed*/) {
    return {.setting = {.reg = "box:-1,1"}, .value_change = 4, .loss = [](Round t) {
                return line(t % 2 == 0 ? 1 : -1);
            }};
}

/// A slope just above the tolerance, on an interval on which it comes to 2M: the slowest descent there is.
/// `wobble` makes the loss of round t larger or smaller; over a period of w it averages out.
Course slow_slope(Index window, Real bound, const std::function<Real(Round t)>& wobble) {
    Course course{.bound = bound};
    const Real slope = (1 + 1e-6) * course.delta / static_cast<Real>(window);
    const Real end = 1 / slope;
    course.setting = {.reg = fmt::format("box:{:.17g},{:.17g}", -end, end), .start = {end}};
    course.loss = [slope, wobble](Round t) { return line(slope * (1 + wobble(t))); };
    return course;
}

Course offline(Index window, std::uint64_t /*seed*/) {
    return slow_slope(window, 1, [](Round) { return 0; });
}

/// Rises first and falls later, so that the mean reaches the tolerance with the period and not before.
Course periodic(Index window, std::uint64_t /*seed*/) {
    return slow_slope(window, 2, [window](Round t) {
        return std::sin(2 * std::numbers::pi * static_cast<Real>(t % window) / static_cast<Real>(window));
    });
}

Course waves(Index window, std::uint64_t seed) {
    return {.setting = {.reg = "box:-2,2", .start = {1.5}, .step = 0.9, .smoothness = 1},
            .delta = 0.2,
            .loss = [window, seed](Round t) {
                return wave(4 * uniform({.seed = seed, .round = t % window, .sample = window}) - 2);
            }};
}

constexpr std::array kCourses{
    CourseRow{"alternating", "g = indicator of [-1, 1], f_t = (-1)^t x, w odd, eta = 1, delta = 0.999", false,
              alternating},
    CourseRow{"offline",
              "g = indicator of [-1/s, 1/s], s = 1.000001 delta/w, f_t = s x, x_1 = 1/s, eta = 1, delta = "
              "0.999",
              false, offline},
    CourseRow{"periodic", "the same with f_t = s (1 + sin(2 pi t/w)) x", false, periodic},
    CourseRow{"waves",
              "g = indicator of [-2, 2], f_t = -cos(x - xi), xi one of w phases drawn from [-2, 2], in turn, "
              "x_1 = 1.5, eta = 0.9, delta = 0.2",
              true, waves},
};

void run_course(const CourseRow& row, Index window, Round rounds, Cell& cell) {
    const Course course = row.make(window, cell.seed);
    const auto learner = make_learner(course.setting, paper_learner(window, course.delta));
    std::uint64_t last_steps = 0;
    const Certificate certificate = play(
        *learner, rounds, cell, [&](Round t, ConstView /*x*/) { return course.loss(t); },
        [&](const RoundReport& report) { last_steps = report.steps; });

    // An update lowers the potential by gamma rho^2.
    const Real step = course.setting.step;
    const auto w = static_cast<Real>(window);
    const auto t = static_cast<Real>(rounds);
    const Real unit = step * (1 - step * course.setting.smoothness / 2) * course.delta * course.delta;
    const Real claimed = w * w * 2 * course.bound / unit;
    const Real by_loss = w * t * 2 * course.bound / unit;
    const Real by_change = claimed + w * std::max<Real>(t - w, 0) * course.value_change / unit;
    const Real corrected = std::min(by_loss, by_change);
    const auto updates = static_cast<Real>(certificate.summary.totals.steps);
    cell.add(kUpdates, updates);
    cell.add(kClaimed, claimed);
    cell.add(kOverClaim, updates / claimed);
    cell.add(kCorrected, corrected);
    cell.add(kOverProof, updates / corrected);
    cell.add(kLateRound, static_cast<Real>(last_steps));
}

/// A sweep over T at one window, or over w at one number of rounds.
struct Sweep {
    std::string name;
    Axis x;
    Index fixed;
    std::vector<Index> values;
    bool rounds;  // T varies
};

StudyStream sweep_stream(const Sweep& sweep) {
    StudyStream stream{.name = sweep.name, .x = sweep.x};
    for (const CourseRow& row : kCourses) {
        for (const Index value : sweep.values) {
            stream.methods.push_back({fmt::format("{}, {} = {}", row.name, sweep.rounds ? "T" : "w", value),
                                      "", row.name, static_cast<Real>(value), row.random});
        }
    }
    stream.random = false;
    stream.run = [sweep](Cell& cell) {
        const auto value = static_cast<Index>(cell.method().x);
        const CourseRow& row = find_row(kCourses, "course", cell.method().line);
        run_course(row, sweep.rounds ? sweep.fixed : value, sweep.rounds ? value : sweep.fixed, cell);
    };
    return stream;
}

std::vector<Expectation> step_expectations(const Sweep& by_rounds, const Sweep& by_window) {
    const std::string longest = fmt::format("alternating, T = {}", by_rounds.values.back());
    const Real crossing = 2 * static_cast<Real>(by_rounds.fixed);  // 2 w/eta
    std::vector<Expectation> all{
        {Measure::slope, by_rounds.name, "alternating", kUpdates, 0.95, 1.1, "0"},
        {Measure::slope, by_window.name, "alternating", kUpdates, 0.9, 1.05, "2"},
        {Measure::value, by_rounds.name, longest, kLateRound, crossing, crossing},
        {Measure::value, by_rounds.name, longest, kOverClaim, 10, kInfinity, "at most 1"},
        {Measure::value, by_rounds.name, longest, kOverProof, 0.97, 1},
        {Measure::slope, by_window.name, "offline", kUpdates, 1.95, 2.05, "2"},
        {Measure::slope, by_window.name, "periodic", kUpdates, 1.95, 2.05, "2"},
    };
    for (const Sweep& sweep : {by_rounds, by_window}) {
        // Theorem 3 is right for one fixed loss, and attained.
        all.push_back({Measure::largest, sweep.name, "offline", kOverClaim, 0.99, 1});
        for (const CourseRow& row : kCourses)
            all.push_back({Measure::largest, sweep.name, row.name, kOverProof, 0, 1});
    }
    for (const char* repeating : {"offline", "periodic", "waves"})
        all.push_back({Measure::slope, by_rounds.name, repeating, kUpdates, -0.02, 0.02});
    return all;
}

}  // namespace

StudyPlan plan_steps(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    Sweep by_rounds{"w = 9", {"rounds T", Scale::log}, 9, {100, 300, 1000}, true};
    Sweep by_window{"T = 500", {"window w", Scale::log2}, 500, {5, 9, 17, 33}, false};
    if (full) by_rounds = {"w = 21", by_rounds.x, 21, {300, 1000, 3000, 10'000, 30'000, 100'000}, true};
    if (full) by_window = {"T = 5000", by_window.x, 5000, {5, 9, 17, 33, 65, 129}, false};
    StudyPlan plan;
    plan.question =
        "How many updates N does Algorithm 1 make in T rounds with window w? The paper's Theorem 3 says "
        "O(w^2), whatever T. That is\nright where f_t = f_{t-w} (offline and periodic streams, where it is "
        "attained), and wrong in general: alternating losses cost\n2 w/eta updates in every round. The "
        "corrected count is the lesser of (B1), O(T w), and (B2), the paper's bound and a term for\nwhat "
        "changes over w rounds.";
    plan.subtitle = "alternating losses, and losses that repeat: Theorem 3 of the paper holds for the latter";
    plan.figures = {kUpdates, kClaimed, kOverClaim, kCorrected, kOverProof, kLateRound};
    plan.streams = {sweep_stream(by_rounds), sweep_stream(by_window)};
    for (const CourseRow& row : kCourses) plan.more_names.emplace_back(row.name, row.formula);
    plan.charts = {
        {"updates.svg", "Updates", {"updates N", Scale::log}, {{kUpdates}}},
        {.file = "bounds.svg",
         .title = "Updates and what is claimed and proved of them",
         .y = {"updates N", Scale::log},
         .figures = {{kUpdates}, {kClaimed, ": Theorem 3", true}, {kCorrected, ": proved", true}},
         .lines = {"alternating"}},
        {"ratio.svg", "Updates over what Theorem 3 claims", {"N / claim", Scale::log}, {{kOverClaim}}}};
    plan.expectations = step_expectations(by_rounds, by_window);
    return plan;
}

}  // namespace proxstream
