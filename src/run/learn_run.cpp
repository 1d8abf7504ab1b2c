#include "run/learn_run.hpp"

#include "proxstream/core/error.hpp"

#include "front/header_of.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_outputs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

RunHeader run_header(const LearnSettings& settings, const Problem& problem, const std::string& learner_text,
                     const LearnerFacts& facts) {
    RunHeader header = header_of(facts, problem.family().dimension());
    header.settings = result_settings(settings);
    header.settings.emplace_back("learner-in-use", learner_text);
    // The members of an ensemble have budgets of their own.
    if (header.members.empty()) header.max_steps = settings.max_steps;
    if (settings.max_seconds < kInfinity) header.max_seconds = settings.max_seconds;
    header.other_windows = other_windows(settings);
    return header;
}

const std::vector<std::string>& learn_channels() {
    static const std::vector<std::string> names{"loss",         "residual",  "bound", "tolerance", "regret",
                                                "regret_bound", "variation", "steps", "gradients", "seconds"};
    return names;
}

LearnRun::LearnRun(const LearnSettings& settings, StopFlag stop, ConstView start)
    : LearnRun(settings, stop, Problem(settings, stop), false, start) {}

LearnRun::LearnRun(const LearnSettings& settings, std::unique_ptr<RowReader> rows, ConstView start)
    : LearnRun(settings, nullptr, Problem(settings, std::move(rows)), true, start) {}

LearnRun::LearnRun(const LearnSettings& settings, StopFlag stop, Problem problem, bool fed, ConstView start)
    : settings_(with_defaults(settings)),
      stop_(stop),
      problem_(start.empty() ? std::move(problem) : std::move(problem).from(start)),
      learner_(problem_.make_learner(settings_.learner)),
      meter_(problem_.make_meter(other_windows(settings_))),
      header_(run_header(settings_, problem_, settings_.learner, learner_->facts())),
      outputs_(std::make_unique<Outputs>(header_)),
      sampler_(settings.seed),
      played_(problem_.family().dimension()),
      fed_(fed),
      record_(problem_.stream().make_record()) {
    const auto expects = [](const RunHeader& header) { return header.model == "forecast"; };
    if (problem_.forecasts() != nullptr && !expects(header_) &&
        std::none_of(header_.members.begin(), header_.members.end(), expects)) {
        throw ConfigError("forecast = " + settings_.forecast + ": no model uses it; say --model forecast");
    }
    if (!settings_.ledger.empty()) outputs_->ledger.emplace(settings_.ledger, header_);
    // With a store, attach() knows where the file continues.
    if (!settings_.predictions.empty() && settings_.store.empty())
        outputs_->predictions.emplace(settings_.predictions);
}

LearnRun::~LearnRun() = default;

namespace {

/// Runs `write`. False: it failed, which is noted once and ends the run.
template <class Write>
bool guarded(LearnOutcome& outcome, Write write) {
    try {
        write();
        return true;
    } catch (const IoError& error) {
        outcome.io_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
        return false;
    }
}

/// The same for an output that stays open: after a failure it is given up.
template <class Output, class Write>
void guarded(LearnOutcome& outcome, std::optional<Output>& output, Write write) {
    if (output && !guarded(outcome, [&] { write(*output); })) output.reset();
}

}  // namespace

LearnOutcome LearnRun::run(const std::function<void(const LearnProgress&)>& on_round) {
    const auto start = std::chrono::steady_clock::now();
    LearnOutcome outcome;
    outcome.totals = resumed_;
    outcome.totals.regret = outputs_->tally.regret();
    outcome.totals.point = learner_->decide();
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    const auto more = [&] { return settings_.rounds == 0 || outcome.totals.rounds < settings_.rounds; };
    try {
        while (!stopped() && more() && problem_.stream().next(record_)) {
            // A record that the interruption cut short will come whole when the run goes on.
            if (stopped() && record_.rows() < settings_.batch && journal_ != nullptr) break;
            const bool go_on = play(record_, outcome);
            if (journal_ != nullptr) guarded(outcome, [&] { end_turn(); });
            on_round(outcome.totals);
            if (!go_on || outcome.io_error) break;
        }
        if (stopped()) outcome.ending = RunEnding::interrupted;
    } catch (const DataError& error) {
        outcome.data_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
    } catch (const IoError& error) {
        outcome.io_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    finish(outcome);
    return outcome;
}

/// In the units of the data; a number within the range of the labels so far. A model that is only tried has
/// seen none of them.
Real LearnRun::reported(Real prediction) const {
    const auto& scale = problem_.stream().label_scale();
    const Real restored = scale ? scale->restored(prediction) : prediction;
    const bool clips = problem_.family().target_kind() == TargetKind::number && !settings_.test_only;
    return clips ? labels_.clipped(restored) : restored;
}

void LearnRun::predict(const RowBlock& record, LearnProgress& totals) {
    const RowFamily& family = problem_.family();
    const bool numbers = family.target_kind() == TargetKind::number;
    const bool classes =
        family.target_kind() == TargetKind::sign || family.target_kind() == TargetKind::category;
    const ConstView labels = problem_.stream().labels(record);
    predictions_.clear();
    labels_ = totals.labels;
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = family.predict(record, row, learner_->decide(), scratch_);
        predictions_.push_back(reported(prediction));
        if (classes && family.label(prediction) != record.target(row)) ++totals.errors;
        if (numbers) {
            const Real error = predictions_.back() - labels[row];
            totals.squared_errors += error * error;
            totals.absolute_errors += std::abs(error);
        }
        sampler_.add(record.target(row));
    }
    if (numbers) {
        for (const Real label : labels) totals.labels.include(label);
        labels_ = totals.labels;
    }
    totals.rows += record.rows();
}

bool LearnRun::play(RowBlock& record, LearnOutcome& outcome) {
    LearnProgress& totals = outcome.totals;
    predict(record, totals);
    write_predictions(outcome);
    if (settings_.test_only) {
        ++totals.rounds;
        totals.loss_sum += problem_.family().value(record, learner_->decide(), scratch_);
        return !outcome.io_error;
    }

    if (ForecastFeed* forecasts = problem_.forecasts()) {
        if (const RowBlock* forecast = forecasts->next()) learner_->expect(*forecast);
    }
    if (!header_.other_windows.empty()) copy(learner_->decide(), played_);
    last_ = learner_->observe(record);
    if (const std::exception_ptr failure = problem_.family().take_failure()) std::rethrow_exception(failure);
    RoundReport& report = last_;
    RowExtras extras;
    if (report.status == RoundStatus::refused) {
        ++totals.refused;
        outcome.problems.push_back(
            fmt::format("{}:{}: the loss is not a finite number here, or its gradient is beyond 1e150; the "
                        "round was refused and nothing was "
                        "learned from it",
                        problem_.stream().reader().source(), problem_.stream().line()));
    } else {
        if (!header_.other_windows.empty()) {
            const Cost before = meter_.cost();
            meter_.measure(record, played_);
            report.referee_cost.record_gradients += meter_.cost().record_gradients - before.record_gradients;
            report.referee_cost.passes += meter_.cost().passes - before.passes;
            report.referee_cost.prox += header_.other_windows.size();
            extras.other_gaps = meter_.gaps();
        }
        extras.ensemble = learner_->ensemble();
        ++totals.rounds;
        totals.loss_sum += report.loss;
        totals.steps += report.steps;
        if (report.status == RoundStatus::budget_exhausted) ++totals.on_budget;
    }
    outputs_->tally.add(report, extras);
    if (journal_ != nullptr) journal_->row(0, report, extras);
    guarded(outcome, outputs_->ledger, [&](LedgerWriter& ledger) { ledger.write(report, extras); });
    totals.regret = outputs_->tally.regret();
    if (report.status != RoundStatus::refused) {
        const Real bound = report.firm_bound + report.gap_rounding;
        regret_bound_ += bound * bound;
    }
    const double seconds = learner_->seconds();
    seconds_of_last_ = seconds - std::exchange(seconds_before_, seconds);
    totals.last = &last_;
    totals.ensemble = extras.ensemble;
    totals.point = learner_->decide();
    const bool stops = report.status == RoundStatus::refused && settings_.on_bad_row == "stop";
    if (journal_ != nullptr) {
        count_record(record);
        completed_ = totals;
    }
    if (stops) outcome.ending = RunEnding::refused;
    return !stops && !outcome.io_error;
}

void LearnRun::write_predictions(LearnOutcome& outcome) {
    // What is played again was told before; a file is cut to where it was and told again.
    if (settings_.predictions == "-" && journal_ != nullptr && journal_->replaying()) return;
    guarded(outcome, outputs_->predictions, [&](OutputFile& file) {
        outputs_->line.clear();
        for (const Real prediction : predictions_) {
            outputs_->line += fmt::format("{}\n", prediction);
        }
        predictions_bytes_ += outputs_->line.size();
        file.write(outputs_->line);
        // A reader at the other end of a pipe may wait for the answer before it sends the next row.
        if (settings_.predictions == "-") file.flush();
    });
}

std::vector<Real> LearnRun::predict_aside(const std::function<void()>& feed) {
    RecordStream& stream = problem_.stream();
    StateArchive before;
    stream.serialise(before);
    const std::string bytes = before.seal();
    std::vector<Real> found;
    const auto restore = [&] {
        stream.forget_ahead();
        StateArchive back(bytes, "the stream");
        stream.serialise(back);
    };
    try {
        feed();
        RowBlock record = stream.make_record();
        while (stream.next(record)) {
            for (Index row = 0; row < record.rows(); ++row) {
                const Real value = problem_.family().predict(record, row, learner_->decide(), scratch_);
                found.push_back(reported(value));
            }
        }
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return found;
}

bool LearnRun::play_next(LearnOutcome& outcome) {
    return problem_.stream().next(record_) && play(record_, outcome);
}

std::vector<Real> LearnRun::figures() const {
    const Real none = std::numeric_limits<Real>::quiet_NaN();
    const bool played = last_.status != RoundStatus::refused && last_.round > 0;
    const auto known = [&](Real figure) { return played ? figure : none; };
    return {known(last_.loss),
            known(last_.entry_gap),
            known(last_.firm_bound + last_.gap_rounding),
            known(last_.tolerance),
            outputs_->tally.regret(),
            regret_bound_,
            known(last_.variation),
            known(static_cast<Real>(last_.steps)),
            static_cast<Real>(last_.cost.record_gradients),
            seconds_of_last_};
}

std::string LearnRun::decision() const {
    std::string text = "{\"predictions\":[";
    for (Index i = 0; i < predictions_.size(); ++i) {
        if (i > 0) text += ',';
        text += std::isfinite(predictions_[i]) ? fmt::format("{}", predictions_[i]) : "null";
    }
    return text + "]}";
}

void LearnRun::end_turn() {
    journal_->decision(decision());
    journal_->figures(figures());
    journal_->end_turn([this](StateArchive& archive) { serialise(archive); });
}

RunFooter LearnRun::footer(RunEnding ending) const {
    return outputs_->tally.footer(learner_->close(), ending, learner_->seconds());
}

Certificate LearnRun::certificate(RunEnding ending) const {
    return outputs_->tally.certificate(footer(ending));
}

void LearnRun::finish(LearnOutcome& outcome) {
    const RunFooter last_footer = footer(outcome.ending);
    outcome.certificate = outputs_->tally.certificate(last_footer);
    if (journal_ != nullptr) {
        ending_ = outcome.ending;
        guarded(outcome, [&] {
            journal_->finish([this](StateArchive& archive) { serialise(archive); },
                             to_json(outcome.certificate), "", outcome.ending == RunEnding::finished);
        });
    }
    outcome.best_constant = sampler_.best(settings_.loss);
    guarded(outcome, outputs_->ledger, [&](LedgerWriter& ledger) { ledger.finish(last_footer); });
    guarded(outcome, outputs_->predictions, [](OutputFile& file) { file.close(); });
    if (!settings_.certificate_json.empty()) {
        guarded(outcome,
                [&] { write_whole_file(settings_.certificate_json, to_json(outcome.certificate) + "\n"); });
    }
    if (settings_.save.empty() || settings_.test_only) return;
    const Model model = problem_.model_at(learner_->decide(), outcome.totals.rounds);
    if (guarded(outcome, [&] { save_model(settings_.save, model); }) || settings_.save == "-") return;
    // The model is what the run was for: try the temporary folder before giving it up.
    const std::string rescue =
        (std::filesystem::temp_directory_path() / "proxstream-rescued-model.json").string();
    guarded(outcome, [&] {
        save_model(rescue, model);
        outcome.problems.push_back("the model was saved to " + rescue + " instead");
    });
}

}  // namespace proxstream
