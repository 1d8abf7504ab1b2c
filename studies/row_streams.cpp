#include "studies/row_streams.hpp"

#include "run/compare_run.hpp"
#include "run/synthetic.hpp"
#include "studies/learners.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

LearnSettings settings_of(const RowPlan& plan, std::uint64_t seed) {
    LearnSettings settings;
    settings.data = {
        fmt::format("{}{},rows={},features=8,seed={}", kBuiltinPrefix, plan.builtin, plan.rows, seed)};
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.intercept = false;
    settings.seed = seed;
    settings.max_steps = plan.max_steps;
    return settings;
}

void add_figures(const CompareEntry& entry, const RowMethod& method, Cell& cell) {
    const RunSummary& summary = entry.certificate.summary;
    const auto rounds = static_cast<Real>(std::max<Round>(entry.rounds, 1));
    const auto add = [&](const std::string& figure, Real sum) {
        cell.add(method.name, figure, sum / rounds);
    };
    cell.add(method.name, kLoss, entry.loss);
    add(kRegret, summary.regret);
    if (method.length > 0) add(kScaledRegret, method.length * method.length * summary.regret);
    add(kRegretOne, entry.regret_one);
    add(kGradients, static_cast<Real>(entry.record_gradients));
    add(kSteps, static_cast<Real>(summary.totals.steps));
    add(kActive, 100 * static_cast<Real>(entry.active));
    add(kMovement, entry.movement);
    add(kChanged, static_cast<Real>(entry.changed));
    cell.add(method.name, kNonzeros, static_cast<Real>(entry.nonzeros));
    note_certificate(entry.certificate, method.name, cell);
}

}  // namespace

StudyStream row_stream(const RowPlan& plan, const std::vector<RowMethod>& methods, const Axis& x) {
    StudyStream stream;
    stream.name = plan.name;
    const LearnSettings first = settings_of(plan, 1);
    stream.text = fmt::format(
        "proxstream compare {} --loss {} --reg {} --no-intercept --max-steps {} --seed 1 --learners ..",
        first.data.front(), first.loss, first.reg, first.max_steps);
    stream.x = x;
    stream.methods.assign(methods.begin(), methods.end());
    stream.together = true;
    stream.run = [=](Cell& cell) {
        std::vector<std::string> learners;
        for (const RowMethod& method : methods) learners.push_back(method.text);
        CompareRun run(settings_of(plan, cell.seed), learners, cell.stop);
        const CompareOutcome outcome = run.run(
            [&](Round rounds) { cell.share(static_cast<Real>(rounds), static_cast<Real>(plan.rows)); });
        cell.interrupted = outcome.interrupted;
        if (cell.interrupted) return;
        if (!outcome.data_error.empty()) cell.notes.push_back(outcome.data_error);
        for (Index i = 0; i < methods.size(); ++i) add_figures(outcome.entries[i], methods[i], cell);
    };
    return stream;
}

std::vector<RowPlan> basic_rows(StudyPreset preset, Index max_steps) {
    std::vector<RowPlan> plans{{"i.i.d.", "iid,active=4"},
                               {"slow drift", "drift,active=4,jump=1000000000,period=3000"},
                               {"fast drift", "drift,active=4,jump=1000000000,period=300"},
                               {"switches", "switch,active=4,jump=150"}};
    for (RowPlan& plan : plans) {
        plan.rows = preset == StudyPreset::full ? 3000 : 400;
        plan.max_steps = max_steps;
    }
    return plans;
}

}  // namespace proxstream
