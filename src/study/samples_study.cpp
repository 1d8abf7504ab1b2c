#include "run/problem.hpp"
#include "run/synthetic.hpp"
#include "study/function_learner.hpp"
#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kBaseSamples = "samples";  // base samples a round
constexpr const char* kCalls = "calls";          // answers of the oracle a round
constexpr const char* kExitResidual = "exit";    // root mean square of r_t, times w

constexpr const char* kAdversary = "alternating";
constexpr const char* kRows = "minibatch";

/// On the alternating adversary every round crosses the interval, N_t ~ 2w/eta. sigma_0 is the deviation of a
/// base sample of one record's gradient, sigma/w what the window's estimate may have.
constexpr Real kSamplesStep = 0.5;
constexpr Real kSamplesDelta = 0.5;
constexpr Real kSigma = 0.1;
constexpr Real kBaseNoise = 0.2;

struct SamplesRow {
    std::string_view name;
    Real low, high;  // of the slope of samples against w, on the adversary
    const char* rate;
};

constexpr std::string_view kLiteral = "paper's calls";
constexpr std::string_view kIndependent = "independent";
constexpr std::string_view kSpider = "spider";

/// N_t ~ w updates; an estimate by w calls of w^2 samples, by w calls of w samples, or by recursion from w^2.
constexpr std::array kSamplesMethods{
    SamplesRow{kLiteral, 3.75, 4.25, "w^4"},
    SamplesRow{kIndependent, 2.75, 3.25, "w^3"},
    SamplesRow{kSpider, 1.7, 2.3, "w^2"},
};

struct SamplesSweep {
    std::vector<Index> windows;  // of the adversary; odd
    std::vector<Index> row_windows;
    Index rows;
};

SamplesSweep samples_sweep(StudyPreset preset) {
    if (preset == StudyPreset::full) return {{9, 17, 33, 65, 129}, {8, 32, 128}, 64'000};
    return {{9, 17, 33}, {8, 32}, 12'800};
}

std::string name_of(std::string_view method, Index window) {
    return fmt::format("{} {}", method, window);
}

NoisySetting setting_of(const SamplesRow& method, Index window, std::uint64_t seed) {
    const auto length = static_cast<Real>(window);
    const Real asked = std::pow(kBaseNoise / kSigma, 2);
    const auto samples = static_cast<std::uint64_t>(
        std::ceil(asked * (method.name == kLiteral ? length * length : length) * (1 - 4 * kUnitRoundoff)));
    const NoiseModel model{.kind = NoiseModel::Kind::gaussian, .sigma = kBaseNoise};
    NoisySetting setting{AnyOracle(NoisyOracle(model, samples, true)), "gaussian"};
    setting.seed = seed;
    if (method.name == kSpider) {
        const Real batch = 8 * std::pow(kBaseNoise * length / kSamplesDelta, 2);
        const auto root = static_cast<std::uint64_t>(std::ceil(std::sqrt(batch / 2)));
        setting.estimator = {EstimatorOptions::Kind::spider, static_cast<std::uint64_t>(std::ceil(batch)),
                             root, root};
    }
    return setting;
}

/// `exits` is the sum of r_t^2.
void add_costs(const PlayedRun& run, const char* stream, const std::string& name, Real exits,
               std::uint64_t seed, CellResult& result) {
    const RunTotals& totals = run.certificate.summary.totals;
    const auto add = [&](const char* figure, Real sum) {
        result.measurements.push_back({stream, name, figure, seed, sum / run.rounds()});
    };
    add(kBaseSamples, static_cast<Real>(totals.cost.base_samples));
    add(kCalls, static_cast<Real>(totals.cost.oracle_calls));
    add(kSteps, static_cast<Real>(totals.steps));
    add(kExitResidual, static_cast<Real>(run.certificate.header.window) * std::sqrt(exits * run.rounds()));
}

CellResult run_adversary(const SamplesRow& method, Index window, std::uint64_t seed, StopFlag stop,
                         const std::function<void(Real)>& on_share) {
    const Round rounds = 4 * window;
    const FunctionProblem problem{.reg = "box:-1,1", .start = {0}, .window = window, .step = kSamplesStep};
    const auto learner = make_noisy(problem, kSamplesDelta, setting_of(method, window, seed));
    Real exits = 0;
    const PlayedRun run = play(
        *learner, rounds, stop, [](Round t, ConstView) { return line(t % 2 == 0 ? 1 : -1); },
        [&](const RoundReport& report) {
            exits += report.exit_residual * report.exit_residual;
            on_share(static_cast<Real>(report.round) / static_cast<Real>(rounds));
        });
    CellResult result;
    note_run(run, name_of(method.name, window), result);
    add_costs(run, kAdversary, name_of(method.name, window), exits, seed, result);
    return result;
}

/// Rows of a stream that drifts slowly, so many a record; the same exit test rho for all lengths. Fresh
/// estimates draw as many rows as that test asks for, spider as many as (G2) does.
constexpr Real kRowTolerance = 0.02;
constexpr Index kRecord = 256;

LearnSettings row_settings(const SamplesSweep& sweep, std::uint64_t seed) {
    LearnSettings settings;
    settings.data = {fmt::format("{}drift,rows={},features=8,active=4,jump=1000000000,period=100000,seed={}",
                                 kBuiltinPrefix, sweep.rows, seed)};
    settings.batch = kRecord;
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.intercept = false;
    settings.seed = seed;
    settings.max_steps = 100'000;
    settings.step = "0.1";
    settings.smoothness = 5;
    return settings;
}

std::string row_learner(std::string_view method, Index window) {
    return fmt::format("time-smoothed:window={},tolerance={},oracle=minibatch,inner={}", window,
                       kRowTolerance * static_cast<Real>(window), method == kSpider ? kSpider : "prox-grad");
}

CellResult run_rows(const SamplesSweep& sweep, std::string_view method, Index window, std::uint64_t seed,
                    StopFlag stop, const std::function<void(Real)>& on_share) {
    const LearnSettings settings = row_settings(sweep, seed);
    const std::string text = row_learner(method, window);
    Problem problem(settings, stop, {text});
    const auto learner = problem.make_learner(text);
    RowBlock record = problem.stream().make_record();
    Real exits = 0;
    const PlayedRun run = play(
        *learner, sweep.rows / kRecord, stop,
        [&](Round /*t*/, ConstView /*x*/) -> const RowBlock& {
            problem.stream().next(record);
            return record;
        },
        [&](const RoundReport& report) {
            exits += report.exit_residual * report.exit_residual;
            on_share(static_cast<Real>(report.round * kRecord) / static_cast<Real>(sweep.rows));
        });
    CellResult result;
    note_run(run, name_of(method, window), result);
    add_costs(run, kRows, name_of(method, window), exits, seed, result);
    return result;
}

std::vector<ChartPoint> samples_points(const ResultTable& table, const char* stream, std::string_view method,
                                       const std::vector<Index>& windows, const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index window : windows) {
        line.push_back(point_of(table, stream, name_of(method, window), static_cast<Real>(window), figure));
    }
    return line;
}

std::vector<NamedChart> samples_charts(const ResultTable& table, const SamplesSweep& sweep) {
    const auto chart = [&](const char* title, const char* figure, const char* y) {
        Chart result;
        result.title = title;
        result.subtitle =
            fmt::format("adversary: delta = {}, sigma = {}, eta = {}; records of 256 rows: rho = {}",
                        kSamplesDelta, kSigma, kSamplesStep, kRowTolerance);
        Panel& adversary = result.panels.emplace_back();
        adversary.title = kAdversary;
        adversary.x = {"window w", Scale::log2};
        adversary.y = {y, Scale::log};
        for (const SamplesRow& method : kSamplesMethods) {
            adversary.series.push_back(
                {std::string(method.name),
                 samples_points(table, kAdversary, method.name, sweep.windows, figure)});
        }
        Panel& rows = result.panels.emplace_back();
        rows.title = kRows;
        rows.x = adversary.x;
        rows.y = adversary.y;
        for (const std::string_view method : {kIndependent, kSpider}) {
            rows.series.push_back(
                {std::string(method), samples_points(table, kRows, method, sweep.row_windows, figure)});
        }
        return result;
    };
    return {{"samples.svg", chart("Base samples a round", kBaseSamples, "base samples a round")},
            {"steps.svg", chart("Updates a round", kSteps, "updates a round")}};
}

std::vector<Finding> samples_findings(const ResultTable& table, const SamplesSweep& sweep) {
    std::vector<Finding> found;
    for (const SamplesRow& method : kSamplesMethods) {
        found.push_back(
            {fmt::format("{}, {}: slope of base samples a round against w, log-log ({})", kAdversary,
                         method.name, method.rate),
             log_log_slope(samples_points(table, kAdversary, method.name, sweep.windows, kBaseSamples)),
             method.low, method.high, method.name == kLiteral ? "3, counted in calls" : ""});
    }
    found.push_back(
        {fmt::format("{}, {}: slope of calls a round against w, the paper's own count", kAdversary, kLiteral),
         log_log_slope(samples_points(table, kAdversary, kLiteral, sweep.windows, kCalls)), 1.8, 2.2,
         "O(w^2)"});
    for (const Index window : sweep.row_windows) {
        const auto over_fresh = [&](const char* figure) {
            return over(table.at(kRows, name_of(kSpider, window), figure),
                        table.at(kRows, name_of(kIndependent, window), figure).mean);
        };
        found.push_back(
            {fmt::format("{}, w = {}: spider's base samples over those of fresh estimates", kRows, window),
             over_fresh(kBaseSamples), 0, 1});
        found.push_back(
            {fmt::format("{}, w = {}: spider's exit residual over theirs, root mean square", kRows, window),
             over_fresh(kExitResidual), 0, 1.05});
    }
    return found;
}

}  // namespace

StudyPlan plan_samples(StudyPreset preset, Index seeds) {
    const SamplesSweep sweep = samples_sweep(preset);
    StudyPlan plan;
    plan.question =
        "What does a round cost in base samples? On the adversary that makes every round cross its interval, "
        "the same test is passed with\nestimates of deviation sigma/w, by calls that are each as exact as "
        "the "
        "paper's S_{sigma/w} or by calls whose independent noise averages\nout over the window; and with "
        "spider, "
        "whose fresh estimates (G2) lets have delta/(sqrt 8 w). Losses are lines there, so "
        "spider's\ndifferences "
        "are exact: its slope is that of the samples (G2) prescribes. Then records of 256 rows on a slow "
        "drift, "
        "where rounds\ntake many updates: spider against fresh estimates of as many rows as the same test "
        "rho = "
        "0.02 asks for. The number behind a name is w.";
    plan.figures = {{kBaseSamples, "base samples a round", Better::neither},
                    {kCalls, "calls a round", Better::neither},
                    {kSteps, "updates a round", Better::neither},
                    {kExitResidual, "w times rms exit residual", Better::neither}};
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const SamplesRow& method : kSamplesMethods) {
            for (const Index window : sweep.windows) {
                plan.cells.push_back(
                    {fmt::format("{}, {}, seed {}", kAdversary, name_of(method.name, window), seed),
                     [&method, window, seed](StopFlag stop, const std::function<void(Real)>& share) {
                         return run_adversary(method, window, seed, stop, share);
                     }});
            }
        }
        for (const std::string_view method : {kIndependent, kSpider}) {
            for (const Index window : sweep.row_windows) {
                plan.cells.push_back(
                    {fmt::format("{}, {}, seed {}", kRows, name_of(method, window), seed),
                     [sweep, method, window, seed](StopFlag stop, const std::function<void(Real)>& share) {
                         return run_rows(sweep, method, window, seed, stop, share);
                     }});
            }
        }
    }
    plan.glossary.emplace_back(kAdversary, "g = indicator of [-1, 1], f_t = (-1)^t x, w odd");
    plan.glossary.emplace_back(kRows,
                               fmt::format("proxstream compare {} --batch 256 --step 0.1 --smoothness 5 "
                                           "--loss cauchy --reg l1:0.01 --no-intercept",
                                           row_settings(sweep, 1).data.front()));
    plan.glossary.emplace_back(name_of(kIndependent, 32), row_learner(kIndependent, 32));
    plan.glossary.emplace_back(name_of(kSpider, 32), row_learner(kSpider, 32));
    plan.charts = [sweep](const ResultTable& table) { return samples_charts(table, sweep); };
    plan.findings = [sweep](const ResultTable& table) { return samples_findings(table, sweep); };
    return plan;
}

}  // namespace proxstream
