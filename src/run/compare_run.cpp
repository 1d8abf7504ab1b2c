#include "run/compare_run.hpp"

#include "proxstream/core/error.hpp"

#include "regret/tally.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {

struct CompareRun::Lane {
    Lane(const LearnSettings& settings, const Problem& problem, const std::string& text)
        : learner(problem.make_learner(text)),
          tally(run_header(settings, problem, text, learner->facts())),
          meter(problem.make_meter({measured_window(settings.window), 1})),
          played(problem.family().dimension()) {
        result.learner = text;
    }

    std::unique_ptr<AnyLearner> learner;
    Tally tally;
    RegretMeter<AnyRegulariser, AnyBatch> meter;
    std::vector<Real> played;
    std::uint64_t errors = 0;
    std::uint64_t rows = 0;
    CompareEntry result;
};

CompareRun::CompareRun(const LearnSettings& settings, const std::vector<std::string>& learners, StopFlag stop)
    : stop_(stop), last_round_(settings.rounds), problem_(settings, stop, learners) {
    if (learners.empty()) throw ConfigError("compare: no learner is named");
    LearnSettings plain = with_defaults(settings);
    plain.also_window.clear();  // the comparison's own referee measures w and 1
    std::vector<std::string> violations;
    for (const std::string& text : learners) {
        try {
            lanes_.push_back(std::make_unique<Lane>(plain, problem_, text));
        } catch (const ConfigError& error) {
            violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        }
    }
    if (!violations.empty()) throw ConfigError(violations);
}

CompareRun::~CompareRun() = default;

void CompareRun::play(Lane& lane, const RowBlock& record) {
    const RowFamily& family = problem_.family();
    copy(lane.learner->decide(), lane.played);
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = family.predict(record, row, lane.played, scratch_);
        if (family.label(prediction) != record.target(row)) ++lane.errors;
        const auto& scale = problem_.stream().label_scale();
        const Real error = labels_.clipped(scale ? scale->restored(prediction) : prediction) -
                           problem_.stream().labels(record)[row];
        lane.result.mean_squared_error += error * error;
        lane.result.mean_absolute_error += std::abs(error);
    }
    lane.rows += record.rows();
    const RoundReport report = lane.learner->observe(record);
    RowExtras extras;
    if (report.status != RoundStatus::refused) extras.ensemble = lane.learner->ensemble();
    lane.tally.add(report, extras);
    CompareEntry& result = lane.result;
    if (report.status == RoundStatus::refused) {
        ++result.refused;
        return;
    }
    lane.meter.measure(record, lane.played);
    ++result.rounds;
    result.loss += report.loss;
    result.windowed_loss += lane.meter.values()[0];
    result.regret += lane.meter.gaps()[0] * lane.meter.gaps()[0];
    result.regret_one += lane.meter.gaps()[1] * lane.meter.gaps()[1];
    const ConstView next = lane.learner->decide();
    Index changed = 0;
    for (Index i = 0; i < next.size(); ++i) changed += next[i] != lane.played[i] ? 1 : 0;
    if (changed == 0) return;
    result.movement += distance(next, lane.played);
    result.changed += changed;
    ++result.active;
}

CompareOutcome CompareRun::run(const std::function<void(Round)>& on_round) {
    CompareOutcome outcome;
    const TargetKind kind = problem_.family().target_kind();
    outcome.numbers = kind == TargetKind::number;
    outcome.classes = kind == TargetKind::sign || kind == TargetKind::category;
    RowBlock record = problem_.stream().make_record();
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    Round rounds = 0;
    try {
        while (!stopped() && (last_round_ == 0 || rounds < last_round_) && problem_.stream().next(record)) {
            if (ForecastFeed* forecasts = problem_.forecasts()) {
                if (const RowBlock* forecast = forecasts->next()) {
                    for (const auto& lane : lanes_) lane->learner->expect(*forecast);
                }
            }
            for (const auto& lane : lanes_) play(*lane, record);
            for (const Real label : problem_.stream().labels(record)) labels_.include(label);
            outcome.rows += record.rows();
            on_round(++rounds);
        }
    } catch (const DataError& error) {
        outcome.data_error = error.what();
    }
    outcome.interrupted = stopped();
    const RunEnding ending = outcome.interrupted          ? RunEnding::interrupted
                             : outcome.data_error.empty() ? RunEnding::finished
                                                          : RunEnding::failed;
    for (const auto& lane : lanes_) {
        CompareEntry& result = lane->result;
        const Real count = static_cast<Real>(std::max<Round>(result.rounds, 1));
        result.loss /= count;
        result.windowed_loss /= count;
        const Real rows = static_cast<Real>(std::max<std::uint64_t>(lane->rows, 1));
        result.error_rate = static_cast<Real>(lane->errors) / rows;
        result.mean_squared_error /= rows;
        result.mean_absolute_error /= rows;
        const ConstView x = lane->learner->decide();
        result.nonzeros =
            static_cast<Index>(std::count_if(x.begin(), x.end(), [](Real value) { return value != 0; }));
        result.seconds = lane->learner->seconds();
        result.certificate =
            lane->tally.certificate(lane->tally.footer(lane->learner->close(), ending, result.seconds));
        result.record_gradients = result.certificate.summary.totals.cost.record_gradients;
        outcome.entries.push_back(std::move(result));
    }
    return outcome;
}

}  // namespace proxstream
