#include "run/synthetic.hpp"
#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/row_setting.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kPathBound = "path_bound";  // of C3a, over T
constexpr const char* kBound = "bound";           // what was proved beforehand, over T
constexpr const char* kAttained = "attained";     // Reg over the path bound
constexpr const char* kMeterOff =
    "referee_differs";  // relative: the referee's Reg_w against the learner's own

constexpr Real kRegretDelta = 0.3;

/// A way to play a window, by the text of its learner and the inequality that bounds its regret. A row here
/// is a line in every chart, a row in every table and a finding on its slope.
struct Method {
    const char* name;
    std::string (*learner)(Index window);
    const char* bound;
    bool random;  // differs from seed to seed on the same losses
};

std::string exact(Index window) {
    return fmt::format("time-smoothed:window={},model=previous,tolerance={}", window, kRegretDelta);
}

/// |e| <= sigma/w surely, as Assumption 3 of the paper has it.
constexpr Real kRegretSigma = 0.1;
std::string bounded(Index window) {
    return fmt::format("{},oracle=(sphere:{:.17g},noise=shared)", exact(window),
                       kRegretSigma / static_cast<Real>(window));
}

// Another method is one more row.
constexpr std::array kRegretMethods{
    Method{"exact", exact, "C3c", false},
    Method{"bounded noise", bounded, "C3c", true},
};

std::string regret_name(const Method& method, Index window) {
    return fmt::format("{} {}", method.name, window);
}

/// A stream is a function of the seed; its rows may depend on the point that is about to be judged.
using Reveal = std::function<void(Round t, ConstView x, RowBlock& record)>;
struct RegretStream {
    const char* name;
    const char* formula;
    bool random;
    RowSetting (*setting)();
    Reveal (*reveal)(std::uint64_t seed);
    Real steepest, flattest;  // what the slope has to be
};

RowSetting chase_setting() {
    return {.loss = "tukey", .reg = "zero", .features = 1, .step = 0.5, .smoothness = 1};
}

/// Where Tukey's loss pulls hardest, seen from its minimum.
constexpr Real kAhead = 0.4472135954999579;  // 1/sqrt 5

/// The newest minimum is always as far ahead as pulls hardest, and the one that leaves pulled the other way
/// or not at all.
Reveal chase(std::uint64_t /*seed*/) {
    return [](Round /*t*/, ConstView x, RowBlock& record) {
        const Real one = 1;
        record.add_dense({&one, 1}, x[0] + kAhead);
    };
}

RowSetting drift_setting() {
    return {.loss = "cauchy", .reg = "l1:0.01", .features = 4, .step = 0.1, .smoothness = 10};
}

Reveal drift(std::uint64_t seed) {
    SyntheticOptions options = SyntheticOptions::parse("drift,features=4,active=4,period=20000");
    options.jump = std::uint64_t{1} << 40U;  // never
    options.rows = options.jump;
    options.seed = seed;
    const auto reader = std::make_shared<const SyntheticReader>(options);
    return [reader](Round t, ConstView /*x*/, RowBlock& record) {
        std::array<Real, 4> features{};
        const Real target = reader->row(t, features);
        record.add_dense(features, target);
    };
}

constexpr std::array kRegretStreams{
    RegretStream{"chase", "f_t = tukey(x - x_t - 1/sqrt 5) on the line, eta = 0.5", false, chase_setting,
                 chase, -2.1, -1.75},
    RegretStream{"drift",
                 "builtin:drift,features=4,active=4,period=20000 without jumps, cauchy + l1:0.01, eta = 0.1",
                 true, drift_setting, drift, -2.2, -1.8},
};

/// The runs of a stream judged by other windows are a table of their own.
std::string judged(const RegretStream& stream) {
    return fmt::format("{}, judged by other windows", stream.name);
}
std::string judged_by(Index window) {
    return fmt::format("regret_{}", window);
}

struct RegretSweep {
    std::vector<Index> windows;
    Round rounds;
};

RegretSweep regret_sweep(StudyPreset preset) {
    if (preset == StudyPreset::full) return {{4, 8, 16, 32, 64, 128, 256}, 5000};
    return {{4, 8, 16, 32}, 600};
}

CellResult run_cell(const RegretStream& stream, const Method& method, Index window, const RegretSweep& sweep,
                    std::uint64_t seed, StopFlag stop, const std::function<void(Real)>& on_share) {
    const RowSetting setting = stream.setting();
    const auto learner = make_learner(setting, method.learner(window), seed);
    auto meter = make_meter(setting, sweep.windows);
    const Reveal reveal = stream.reveal(seed);
    std::vector<Real> regrets(sweep.windows.size());
    RowBlock record;
    const PlayedRun run = play(
        *learner, sweep.rounds, stop,
        [&](Round t, ConstView x) -> const RowBlock& {
            record.clear();
            reveal(t, x, record);
            meter.measure(record, x);
            for (Index i = 0; i < regrets.size(); ++i) {
                regrets[i] += meter.residuals()[i] * meter.residuals()[i];
            }
            return record;
        },
        [&](const RoundReport& report) {
            on_share(static_cast<Real>(report.round) / static_cast<Real>(sweep.rounds));
        });

    CellResult result;
    note_run(run, regret_name(method, window), result);
    const auto add = [&](const std::string& figure, Real value) {
        result.measurements.push_back({stream.name, regret_name(method, window), figure, seed, value});
    };
    const Real regret = run.certificate.summary.regret;
    const Real path_bound = run.certificate.at("C3a").right;
    const auto length = static_cast<Real>(window);
    add(kRegret, regret / run.rounds());
    add(kScaledRegret, length * length * regret / run.rounds());
    add(kPathBound, path_bound / run.rounds());
    add(kBound, run.certificate.at(method.bound).right / run.rounds());
    add(kAttained, regret / path_bound);
    add(kSteps, static_cast<Real>(run.certificate.summary.totals.steps) / run.rounds());
    for (Index i = 0; i < regrets.size(); ++i) {
        result.measurements.push_back({judged(stream), regret_name(method, window),
                                       judged_by(sweep.windows[i]), seed, regrets[i] / run.rounds()});
        if (sweep.windows[i] == window) add(kMeterOff, std::abs(regrets[i] / regret - 1));
    }
    return result;
}

std::vector<StudyCell> regret_cells(const RegretSweep& sweep, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const RegretStream& stream : kRegretStreams) {
            for (const Method& method : kRegretMethods) {
                if (seed > 1 && !stream.random && !method.random) continue;
                for (const Index window : sweep.windows) {
                    cells.push_back(
                        {fmt::format("{}, {}, seed {}", stream.name, regret_name(method, window), seed),
                         [&stream, &method, window, sweep, seed](StopFlag stop,
                                                                 const std::function<void(Real)>& share) {
                             return run_cell(stream, method, window, sweep, seed, stop, share);
                         }});
                }
            }
        }
    }
    return cells;
}

std::vector<ChartPoint> regret_points(const ResultTable& table, const RegretSweep& sweep,
                                      const RegretStream& stream, const Method& method, const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index window : sweep.windows) {
        line.push_back(
            point_of(table, stream.name, regret_name(method, window), static_cast<Real>(window), figure));
    }
    return line;
}

template <class MakeSeries>
Chart chart_of(const char* title, const RegretSweep& sweep, const Axis& x, const Axis& y, MakeSeries series) {
    Chart chart;
    chart.title = title;
    chart.subtitle = fmt::format("delta = {}, T = {}", kRegretDelta, sweep.rounds);
    for (const RegretStream& stream : kRegretStreams) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream.name;
        panel.x = x;
        panel.y = y;
        panel.series = series(stream);
    }
    return chart;
}

std::vector<NamedChart> regret_charts(const ResultTable& table, const RegretSweep& sweep) {
    const Axis window{"window w", Scale::log2};
    std::vector<NamedChart> all;
    all.push_back(
        {"regret.svg",
         chart_of(
             "Regret of the own window", sweep, window, {"Reg_w / T", Scale::log},
             [&](const RegretStream& stream) {
                 std::vector<ChartSeries> series;
                 for (const Method& method : kRegretMethods) {
                     const auto add = [&](const std::string& name, const char* figure, Mark mark) {
                         series.push_back({name, regret_points(table, sweep, stream, method, figure), mark});
                     };
                     add(method.name, kRegret, Mark::line);
                     add(fmt::format("{}: path bound (C3a)", method.name), kPathBound, Mark::band);
                     add(fmt::format("{}: bound ({})", method.name, method.bound), kBound, Mark::band);
                 }
                 return series;
             })});
    all.push_back({"scaled.svg", chart_of("The same times w^2: a flat line is the rate 1/w^2", sweep, window,
                                          {"w^2 Reg_w / T"}, [&](const RegretStream& stream) {
                                              std::vector<ChartSeries> series;
                                              for (const Method& method : kRegretMethods) {
                                                  series.push_back(
                                                      {method.name, regret_points(table, sweep, stream,
                                                                                  method, kScaledRegret)});
                                              }
                                              return series;
                                          })});
    all.push_back(
        {"other-windows.svg",
         chart_of("The same runs judged by other windows", sweep, {"judge's window w'", Scale::log2},
                  {"Reg_w' / T", Scale::log}, [&](const RegretStream& stream) {
                      std::vector<ChartSeries> series;
                      for (const Index own : sweep.windows) {
                          ChartSeries& line = series.emplace_back();
                          line.name = fmt::format("w = {}", own);
                          for (const Index judge : sweep.windows) {
                              line.points.push_back(
                                  point_of(table, judged(stream), regret_name(kRegretMethods.front(), own),
                                           static_cast<Real>(judge), judged_by(judge).c_str()));
                          }
                      }
                      return series;
                  })});
    return all;
}

/// What the longest window's run costs for the shortest judge, over what it costs for its own.
Estimate over_own(const ResultTable& table, const RegretSweep& sweep, const RegretStream& stream,
                  const Method& method) {
    const Index own = sweep.windows.back();
    return over(table.at(judged(stream), regret_name(method, own), judged_by(sweep.windows.front())),
                table.at(stream.name, regret_name(method, own), kRegret).mean);
}

std::vector<Finding> regret_findings(const ResultTable& table, const RegretSweep& sweep) {
    std::vector<Finding> found;
    for (const RegretStream& stream : kRegretStreams) {
        for (const Method& method : kRegretMethods) {
            const std::string name = fmt::format("{}, {}", stream.name, method.name);
            std::vector<std::string> runs;
            for (const Index window : sweep.windows) runs.push_back(regret_name(method, window));
            found.push_back({name + ": slope of Reg_w/T against w, log-log",
                             log_log_slope(regret_points(table, sweep, stream, method, kRegret)),
                             stream.steepest, stream.flattest});
            found.push_back({name + ": largest Reg over its path bound (C3a)",
                             table.largest(stream.name, runs, kAttained), 0, 1 + 1e-9});
            found.push_back(
                {name + ": largest relative difference between the referee's Reg_w and the learner's",
                 table.largest(stream.name, runs, kMeterOff), 0, 1e-6});
            found.push_back({fmt::format("{}: Reg for w' = {} over Reg for its own window, w = {}", name,
                                         sweep.windows.front(), sweep.windows.back()),
                             over_own(table, sweep, stream, method), 5, kInfinity});
        }
    }
    return found;
}

}  // namespace

StudyPlan plan_regret_window(StudyPreset preset, Index seeds) {
    const RegretSweep sweep = regret_sweep(preset);
    StudyPlan plan;
    plan.question = fmt::format(
        "How does the regret fall with the window, at a fixed delta = {}? On a stream that is always ahead "
        "of the "
        "point, and on one\nthat drifts; with exact gradients, and with noise of length sigma/w, sigma = {}. "
        "Beside it what Theorem 1' and its like for\nbounded noise prove: from what the run met (C3a), and "
        "from "
        "tolerances, noise and variation (C3c). The number behind a\nname is w. Then the same runs judged by "
        "other windows, about which nothing is promised.",
        kRegretDelta, kRegretSigma);
    plan.figures = {{kRegret, "Reg_w/T", Better::neither},
                    {kScaledRegret, "w^2 Reg_w/T", Better::neither},
                    {kPathBound, "C3a", Better::neither},
                    {kBound, "C3c", Better::neither},
                    {kSteps, "updates a round", Better::neither}};
    for (const Index window : sweep.windows) {
        plan.figures.push_back({judged_by(window), fmt::format("w' = {}", window), Better::neither});
    }
    plan.layout = TableLayout::by_stream;
    plan.cells = regret_cells(sweep, seeds);
    for (const RegretStream& stream : kRegretStreams) plan.glossary.emplace_back(stream.name, stream.formula);
    for (const Method& method : kRegretMethods) {
        plan.glossary.emplace_back(regret_name(method, sweep.windows.front()),
                                   method.learner(sweep.windows.front()));
    }
    plan.charts = [sweep](const ResultTable& table) { return regret_charts(table, sweep); };
    plan.findings = [sweep](const ResultTable& table) { return regret_findings(table, sweep); };
    return plan;
}

}  // namespace proxstream
