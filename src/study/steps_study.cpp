#include "proxstream/core/draw.hpp"

#include "study/function_learner.hpp"
#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kUpdates = "updates";                // N
constexpr const char* kStepsClaimed = "claimed";           // by Theorem 3 of the paper
constexpr const char* kStepsCorrected = "corrected";       // the lesser of (B1) and (B2)
constexpr const char* kStepsOverClaim = "over_claim";      // N / claimed
constexpr const char* kStepsOverProof = "over_corrected";  // N / corrected
constexpr const char* kLateRound = "late_round";           // updates of the last round

/// A stream for one window, and what the two count bounds need to know of it. g is the indicator of an
/// interval.
struct Course {
    FunctionProblem problem;
    Real delta = 1;
    Real bound = 1;        // M: |f_t| <= M
    Real oscillation = 2;  // of f_t
    Real exchange = 0;     // oscillation of f_t - f_{t-w}
    std::function<LossFunction(Round t)> loss;
};

struct CourseRow {
    const char* name;
    const char* formula;
    bool random;  // differs from seed to seed
    Course (*make)(Index window, std::uint64_t seed);
};

/// The adversary: w is odd, so S_t' = +-1/w alternates, just above what the test forgives, and every round
/// walks from one end to the other.
Course alternating(Index window, std::uint64_t /*seed*/) {
    Course course;
    course.problem = {.reg = "box:-1,1", .start = {0}, .window = window, .step = 1, .smoothness = kFlat};
    course.delta = 0.999;
    course.exchange = 4;
    course.loss = [](Round t) { return line(t % 2 == 0 ? 1 : -1); };
    return course;
}

/// A slope a hair above the tolerance, on an interval on which it comes to 2M: the slowest descent there is.
/// `swing` makes the loss of round t larger or smaller; over a period of w they average out.
Course slow_slope(Index window, Real bound, const std::function<Real(Round t)>& swing) {
    Course course;
    course.delta = 0.999;
    course.bound = bound;
    course.oscillation = 2 * bound;
    const Real slope = (1 + 1e-6) * course.delta / static_cast<Real>(window);
    const Real end = 1 / slope;
    course.problem = {.reg = fmt::format("box:{:.17g},{:.17g}", -end, end),
                      .start = {end},
                      .window = window,
                      .step = 1,
                      .smoothness = kFlat};
    course.loss = [slope, swing](Round t) { return line(slope * (1 + swing(t))); };
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

/// Waves with phases that a seed draws once for each place in the period.
Course waves(Index window, std::uint64_t seed) {
    Course course;
    course.problem = {.reg = "box:-2,2", .start = {1.5}, .window = window, .step = 0.9, .smoothness = 1};
    course.delta = 0.2;
    course.loss = [window, seed](Round t) {
        return wave(4 * uniform({.seed = seed, .round = t % window, .sample = window}) - 2);
    };
    return course;
}

constexpr std::array kCourses{
    CourseRow{"alternating", "g = indicator of [-1, 1], f_t = (-1)^t x, w odd, eta = 1, delta = 0.999", false,
              alternating},
    CourseRow{
        "offline",
        "g = indicator of [-1/s, 1/s], s = 1.000001 delta/w, f_t = s x, x_1 = 1/s, eta = 1, delta = 0.999",
        false, offline},
    CourseRow{"periodic", "the same with f_t = s (1 + sin(2 pi t/w)) x", false, periodic},
    CourseRow{"waves",
              "g = indicator of [-2, 2], f_t = -cos(x - xi), xi one of w phases drawn from [-2, 2], in turn, "
              "x_1 = 1.5, eta = 0.9, delta = 0.2",
              true, waves},
};

/// What is varied: the number of rounds at one window, and the window at one number of rounds.
struct Setting {
    Index window;
    Round rounds;

    std::string name() const { return fmt::format("w = {}, T = {}", window, rounds); }
};

struct Settings {
    std::vector<Setting> by_rounds;
    std::vector<Setting> by_window;

    std::vector<Setting> all() const {
        std::vector<Setting> both = by_rounds;
        both.insert(both.end(), by_window.begin(), by_window.end());
        return both;
    }
};

Settings settings_of(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    Settings settings;
    const std::vector<Round> rounds = full ? std::vector<Round>{300, 1000, 3000, 10'000, 30'000, 100'000}
                                           : std::vector<Round>{100, 300, 1000};
    for (const Round count : rounds) settings.by_rounds.push_back({full ? 21U : 9U, count});
    const std::vector<Index> windows =
        full ? std::vector<Index>{5, 9, 17, 33, 65, 129} : std::vector<Index>{5, 9, 17, 33};
    for (const Index window : windows) settings.by_window.push_back({window, full ? 5000U : 500U});
    return settings;
}

CellResult run_cell(const CourseRow& row, const Setting& setting, std::uint64_t seed, StopFlag stop,
                    const std::function<void(Real)>& on_share) {
    const Course course = row.make(setting.window, seed);
    const auto rounds = static_cast<Real>(setting.rounds);
    const auto window = static_cast<Real>(setting.window);
    const auto learner = make_smoothed(course.problem, course.delta);
    std::uint64_t last_steps = 0;
    const PlayedRun run = play(
        *learner, setting.rounds, stop, [&](Round t, ConstView /*x*/) { return course.loss(t); },
        [&](const RoundReport& report) {
            last_steps = report.steps;
            on_share(static_cast<Real>(report.round) / rounds);
        });

    // An update is worth gamma rho^2 of the potential.
    const Real step = course.problem.step;
    const Real unit = step * (1 - step * course.problem.smoothness / 2) * course.delta * course.delta;
    const Real claimed = window * window * 2 * course.bound / unit;
    const Real by_loss = window * rounds * course.oscillation / unit;
    const Real by_exchange = claimed + window * std::max<Real>(rounds - window, 0) * course.exchange / unit;
    const Real corrected = std::min(by_loss, by_exchange);
    const auto updates = static_cast<Real>(run.certificate.summary.totals.steps);

    CellResult result;
    note_run(run, setting.name(), result);
    const auto add = [&](const char* figure, Real value) {
        result.measurements.push_back({row.name, setting.name(), figure, seed, value});
    };
    add(kUpdates, updates);
    add(kStepsClaimed, claimed);
    add(kStepsOverClaim, updates / claimed);
    add(kStepsCorrected, corrected);
    add(kStepsOverProof, updates / corrected);
    add(kLateRound, static_cast<Real>(last_steps));
    return result;
}

std::vector<StudyCell> make_cells(const Settings& settings, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const CourseRow& row : kCourses) {
            if (seed > 1 && !row.random) continue;
            for (const Setting& setting : settings.all()) {
                cells.push_back(
                    {fmt::format("{}, {}, seed {}", row.name, setting.name(), seed),
                     [&row, setting, seed](StopFlag stop, const std::function<void(Real)>& share) {
                         return run_cell(row, setting, seed, stop, share);
                     }});
            }
        }
    }
    return cells;
}

enum class Along : std::uint8_t { rounds, window };

std::vector<ChartPoint> points(const ResultTable& table, const Settings& settings, const char* stream,
                               Along along, const char* figure) {
    std::vector<ChartPoint> line;
    for (const Setting& s : along == Along::rounds ? settings.by_rounds : settings.by_window) {
        const Real x = along == Along::rounds ? static_cast<Real>(s.rounds) : static_cast<Real>(s.window);
        line.push_back(point_of(table, stream, s.name(), x, figure));
    }
    return line;
}

/// A panel against T and one against w.
template <class AddSeries>
Chart two_panels(const char* title, const Settings& settings, const Axis& y, AddSeries add_series) {
    Chart chart;
    chart.title = title;
    chart.subtitle =
        "alternating losses against streams that repeat: the paper's Theorem 3 knows only the latter";
    for (const Along along : {Along::rounds, Along::window}) {
        const bool rounds = along == Along::rounds;
        Panel& panel = chart.panels.emplace_back();
        panel.title = rounds ? fmt::format("w = {}", settings.by_rounds.front().window)
                             : fmt::format("T = {}", settings.by_window.front().rounds);
        panel.x = rounds ? Axis{"rounds T", Scale::log} : Axis{"window w", Scale::log2};
        panel.y = y;
        add_series(panel, along);
    }
    return chart;
}

std::vector<NamedChart> charts(const ResultTable& table, const Settings& settings) {
    const auto line = [&](Panel& panel, const char* name, const char* stream, Along along, const char* figure,
                          Mark mark) {
        panel.series.push_back({name, points(table, settings, stream, along, figure), mark});
    };
    const Chart updates =
        two_panels("Updates", settings, {"updates N", Scale::log}, [&](Panel& panel, Along along) {
            for (const CourseRow& row : kCourses)
                line(panel, row.name, row.name, along, kUpdates, Mark::line);
            line(panel, "claimed by Theorem 3 (M = 1)", "alternating", along, kStepsClaimed, Mark::band);
            line(panel, "proved for alternating (B1)", "alternating", along, kStepsCorrected, Mark::band);
        });
    const Chart ratios =
        two_panels("Updates over what Theorem 3 claims", settings, {"N / claim", Scale::log},
                   [&](Panel& panel, Along along) {
                       for (const CourseRow& row : kCourses)
                           line(panel, row.name, row.name, along, kStepsOverClaim, Mark::line);
                   });
    return {{"updates.svg", updates}, {"ratio.svg", ratios}};
}

std::vector<Finding> findings(const ResultTable& table, const Settings& settings) {
    const auto slope = [&](const char* stream, Along along) {
        return log_log_slope(points(table, settings, stream, along, kUpdates));
    };
    std::vector<std::string> runs;
    for (const Setting& setting : settings.all()) runs.push_back(setting.name());
    const Setting& longest = settings.by_rounds.back();
    const Estimate late = table.at("alternating", longest.name(), kLateRound);
    const Real crossing = 2 * static_cast<Real>(longest.window);
    std::vector<Finding> found{
        {"alternating: slope of N against T, log-log", slope("alternating", Along::rounds), 0.95, 1.1, "0"},
        {"alternating: slope of N against w, log-log", slope("alternating", Along::window), 0.9, 1.05, "2"},
        {fmt::format("alternating: updates of a late round, w = {} (2 w/eta)", longest.window), late,
         crossing, crossing},
        {fmt::format("alternating, {}: N over the count that Theorem 3 claims", longest.name()),
         table.at("alternating", longest.name(), kStepsOverClaim), 10, kInfinity, "at most 1"},
        {fmt::format("alternating, {}: N over the corrected count", longest.name()),
         table.at("alternating", longest.name(), kStepsOverProof), 0.97, 1},
    };
    for (const CourseRow& row : kCourses) {
        found.push_back({fmt::format("{}: largest N over the corrected count", row.name),
                         table.largest(row.name, runs, kStepsOverProof), 0, 1});
        if (row.make == alternating) continue;
        found.push_back({fmt::format("{}: slope of N against T, log-log", row.name),
                         slope(row.name, Along::rounds), -0.02, 0.02});
    }
    found.push_back(
        {"offline: slope of N against w, log-log", slope("offline", Along::window), 1.95, 2.05, "2"});
    found.push_back(
        {"periodic: slope of N against w, log-log", slope("periodic", Along::window), 1.95, 2.05, "2"});
    found.push_back(
        {"offline: largest N over the count that Theorem 3 claims, which is right here and attained",
         table.largest("offline", runs, kStepsOverClaim), 0.99, 1});
    return found;
}

}  // namespace

StudyPlan plan_steps(StudyPreset preset, Index seeds) {
    const Settings settings = settings_of(preset);
    StudyPlan plan;
    plan.question =
        "How many updates N does Algorithm 1 make in T rounds with window w? The paper's Theorem 3 says "
        "O(w^2) "
        "whatever T. That is\nright where f_t = f_{t-w} (offline and periodic streams: there it is even "
        "attained), and wrong in general: losses that\nalternate cost 2 w/eta updates in every round. The "
        "corrected count is the lesser of (B1), O(T w), and (B2), the paper's\nbound and a term for what "
        "changes over w rounds.";
    plan.figures = {{kUpdates, "updates N", Better::neither},
                    {kStepsClaimed, "Theorem 3", Better::neither},
                    {kStepsOverClaim, "N / Theorem 3", Better::neither},
                    {kStepsCorrected, "corrected", Better::neither},
                    {kStepsOverProof, "N / corrected", Better::neither}};
    plan.layout = TableLayout::by_stream;
    plan.cells = make_cells(settings, seeds);
    for (const CourseRow& row : kCourses) plan.glossary.emplace_back(row.name, row.formula);
    plan.charts = [settings](const ResultTable& table) { return charts(table, settings); };
    plan.findings = [settings](const ResultTable& table) { return findings(table, settings); };
    return plan;
}

}  // namespace proxstream
