#include "study/stream_study.hpp"

#include "run/compare_run.hpp"
#include "run/synthetic.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::string data_of(const StreamStudy& study, const StudyStream& stream, std::uint64_t seed) {
    return fmt::format("{}{},rows={},features={},seed={}", kBuiltinPrefix, stream.builtin, study.rows,
                       study.features, seed);
}

LearnSettings settings_of(const StreamStudy& study, const StudyStream& stream, std::uint64_t seed) {
    LearnSettings settings;
    settings.data = {data_of(study, stream, seed)};
    settings.loss = study.loss;
    settings.reg = study.reg;
    settings.intercept = false;
    settings.seed = seed;
    settings.max_steps = study.max_steps;
    return settings;
}

void add_figures(const Contestant& contestant, const StudyMethod& method, const std::string& stream,
                 std::uint64_t seed, CellResult& result) {
    const RunSummary& summary = contestant.certificate.summary;
    const auto rounds = static_cast<Real>(std::max<Round>(contestant.rounds, 1));
    const auto add = [&](const char* figure, Real value) {
        result.measurements.push_back({stream, method.name, figure, seed, value});
    };
    add(kLoss, contestant.loss);
    add(kRegret, summary.regret / rounds);
    if (method.length > 0) add(kScaledRegret, method.length * method.length * summary.regret / rounds);
    add(kRegretOne, contestant.regret_one / rounds);
    add(kGradients, static_cast<Real>(contestant.record_gradients) / rounds);
    add(kSteps, static_cast<Real>(summary.totals.steps) / rounds);
    add(kActive, 100 * static_cast<Real>(contestant.active) / rounds);
    add(kMovement, contestant.movement / rounds);
    add(kChanged, static_cast<Real>(contestant.changed) / rounds);
    add(kNonzeros, static_cast<Real>(contestant.nonzeros));

    if (contestant.refused > 0) {
        result.notes.push_back(fmt::format("{}: {} rounds were refused because a loss was not finite",
                                           method.name, contestant.refused));
    }
    if (!contestant.certificate.sound()) {
        result.notes.push_back(fmt::format("{}: {}", method.name, conclusion(contestant.certificate)));
    }
}

CellResult run_cell(const StreamStudy& study, const StudyStream& stream, std::uint64_t seed, StopFlag stop,
                    const std::function<void(Real)>& on_share) {
    std::vector<std::string> learners;
    for (const StudyMethod& method : study.methods) learners.push_back(method.learner);
    CompareRun run(settings_of(study, stream, seed), learners, stop);
    const CompareOutcome outcome =
        run.run([&](Round rounds) { on_share(static_cast<Real>(rounds) / static_cast<Real>(study.rows)); });
    CellResult result;
    result.interrupted = outcome.interrupted;
    if (result.interrupted) return result;
    if (!outcome.data_error.empty()) result.notes.push_back(outcome.data_error);
    for (Index i = 0; i < study.methods.size(); ++i) {
        add_figures(outcome.contestants[i], study.methods[i], stream.name, seed, result);
    }
    if (study.derive) study.derive(result.measurements);
    return result;
}

/// Half the height of an error bar.
Real error_of(const Estimate& estimate) {
    return estimate.error.value_or(0);
}

/// What was not measured has no place on any axis.
Real mean_of(const Estimate& estimate) {
    return estimate.count > 0 ? estimate.mean : kInfinity;
}

}  // namespace

std::vector<StudyStream> basic_streams() {
    return {{"i.i.d.", "iid,active=4"},
            {"slow drift", "drift,active=4,jump=1000000000,period=3000"},
            {"fast drift", "drift,active=4,jump=1000000000,period=300"},
            {"switches", "switch,active=4,jump=150"}};
}

std::vector<StudyCell> stream_cells(const StreamStudy& study) {
    const auto shared = std::make_shared<const StreamStudy>(study);
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= study.seeds; ++seed) {
        for (Index i = 0; i < study.streams.size(); ++i) {
            cells.push_back({fmt::format("{}, seed {}", study.streams[i].name, seed),
                             [shared, i, seed](StopFlag stop, const std::function<void(Real)>& on_share) {
                                 return run_cell(*shared, shared->streams[i], seed, stop, on_share);
                             }});
        }
    }
    return cells;
}

std::vector<std::pair<std::string, std::string>> stream_glossary(const StreamStudy& study) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const StudyStream& stream : study.streams) {
        names.emplace_back(stream.name,
                           fmt::format("proxstream compare {} --loss {} --reg {} --no-intercept --max-steps "
                                       "{} --seed 1 --learners ..",
                                       data_of(study, stream, 1), study.loss, study.reg, study.max_steps));
    }
    for (const StudyMethod& method : study.methods) names.emplace_back(method.name, method.learner);
    return names;
}

std::string stream_subtitle(const StreamStudy& study) {
    return fmt::format("{} + {}, n = {}, T = {}; {}", study.loss, study.reg, study.features, study.rows,
                       study.seeds > 1 ? fmt::format("mean +- standard error of {} seeds", study.seeds)
                                       : std::string("one seed"));
}

Chart chart_by_stream(const StreamStudy& study, const char* title, const Axis& x, const Axis& y,
                      const std::function<std::vector<ChartSeries>(const std::string& stream)>& series) {
    Chart chart;
    chart.title = title;
    chart.subtitle = stream_subtitle(study);
    for (const StudyStream& stream : study.streams) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream.name;
        panel.x = x;
        panel.y = y;
        panel.series = series(stream.name);
    }
    return chart;
}

ChartPoint point_of(const ResultTable& table, const std::string& stream, const std::string& method, Real x,
                    const char* y_figure) {
    const Estimate y = table.at(stream, method, y_figure);
    return {x, mean_of(y), error_of(y)};
}

ChartPoint point_of(const ResultTable& table, const std::string& stream, const std::string& method,
                    const char* x_figure, const char* y_figure) {
    const Estimate x = table.at(stream, method, x_figure);
    ChartPoint point = point_of(table, stream, method, mean_of(x), y_figure);
    point.x_error = error_of(x);
    return point;
}

}  // namespace proxstream
