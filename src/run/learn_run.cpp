#include "proxstream/run/learn_run.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/run/header_of.hpp"

#include "run/learn_outputs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

RunHeader run_header(const LearnSettings& settings, const Problem& problem, const std::string& learner_text,
                     const LearnerFacts& facts) {
    RunHeader header = header_of(facts, problem.family().dimension());
    for (const auto& row : learn_options()) {
        if (bears_on_figures(row)) header.settings.emplace_back(row.name, present(row, settings));
    }
    header.settings.emplace_back("learner-in-use", learner_text);
    // The members of a bank have budgets of their own.
    if (header.members.empty()) header.max_steps = settings.max_steps;
    if (settings.max_seconds < kInfinity) header.max_seconds = settings.max_seconds;
    header.other_windows = other_windows(settings);
    return header;
}

LearnRun::LearnRun(const LearnSettings& settings, StopFlag stop)
    : settings_(settings),
      stop_(stop),
      problem_(settings, stop),
      learner_(problem_.make_learner(settings.learner)),
      meter_(problem_.make_meter(other_windows(settings))),
      header_(run_header(settings, problem_, settings.learner, learner_->facts())),
      outputs_(std::make_unique<Outputs>(header_)),
      sampler_(settings.seed),
      played_(problem_.family().dimension()) {
    const auto expects = [](const RunHeader& header) { return header.model == "forecast"; };
    if (problem_.forecasts() != nullptr && !expects(header_) &&
        std::none_of(header_.members.begin(), header_.members.end(), expects)) {
        throw ConfigError("forecast = " + settings_.forecast + ": no model uses it; say --model forecast");
    }
    if (!settings_.checkpoint.empty()) {
        // A learner that cannot be saved says so now, not after its last round.
        Checkpoint trial;
        exchange_state(trial);
    }
    if (!settings_.resume.empty()) {
        resume();
    } else if (!settings_.ledger.empty()) {
        outputs_->ledger.emplace(settings_.ledger, header_);
    }
    if (!settings_.predictions.empty())
        outputs_->predictions.emplace(settings_.predictions, !settings_.resume.empty());
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
    RowBlock record = problem_.stream().make_record();
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    const auto more = [&] { return settings_.rounds == 0 || outcome.totals.rounds < settings_.rounds; };
    try {
        while (!stopped() && more() && problem_.stream().next(record)) {
            // A record that the interruption cut short will come whole when the run goes on.
            if (stopped() && record.rows() < settings_.batch && !settings_.checkpoint.empty()) break;
            const bool go_on = play(record, outcome);
            on_round(outcome.totals);
            if (!go_on) break;
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

void LearnRun::predict(const RowBlock& record, LearnProgress& totals) {
    const RowFamily& family = problem_.family();
    const bool classes =
        family.target_kind() == TargetKind::sign || family.target_kind() == TargetKind::category;
    predictions_.clear();
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = family.predict(record, row, learner_->decide(), scratch_);
        predictions_.push_back(prediction);
        if (classes && family.label(prediction) != record.target(row)) ++totals.errors;
        sampler_.add(record.target(row));
    }
    totals.rows += record.rows();
}

bool LearnRun::play(RowBlock& record, LearnOutcome& outcome) {
    LearnProgress& totals = outcome.totals;
    predict(record, totals);
    guarded(outcome, outputs_->predictions, [&](OutputFile& file) {
        outputs_->line.clear();
        const auto& scale = problem_.stream().label_scale();
        for (const Real prediction : predictions_) {
            fmt::format_to(fmt::appender(outputs_->line), "{}\n",
                           scale ? scale->restored(prediction) : prediction);
        }
        file.write({outputs_->line.data(), outputs_->line.size()});
        // A reader at the other end of a pipe may wait for the answer before it sends the next row.
        if (settings_.predictions == "-") file.flush();
    });
    if (settings_.test_only) {
        ++totals.rounds;
        totals.loss_sum += problem_.family().value(record, learner_->decide(), scratch_);
        return !outcome.io_error;
    }

    if (ForecastFeed* forecasts = problem_.forecasts()) {
        if (const RowBlock* forecast = forecasts->next()) learner_->expect(*forecast);
    }
    copy(learner_->decide(), played_);
    RoundReport report = learner_->observe(record);
    RowExtras extras;
    if (report.status == RoundStatus::refused) {
        ++totals.refused;
        outcome.problems.push_back(
            fmt::format("{}:{}: the loss is not a finite number here; the round was refused and nothing was "
                        "learned from it",
                        problem_.stream().reader().source(), problem_.stream().reader().line()));
    } else {
        if (!header_.other_windows.empty()) {
            const Cost before = meter_.cost();
            meter_.measure(record, played_);
            report.referee_cost.record_gradients += meter_.cost().record_gradients - before.record_gradients;
            report.referee_cost.passes += meter_.cost().passes - before.passes;
            report.referee_cost.prox += header_.other_windows.size();
            extras.other_residuals = meter_.residuals();
        }
        extras.bank = learner_->bank();
        ++totals.rounds;
        totals.loss_sum += report.loss;
        totals.steps += report.steps;
    }
    outputs_->tally.add(report, extras);
    guarded(outcome, outputs_->ledger, [&](LedgerWriter& ledger) { ledger.write(report, extras); });
    totals.regret = outputs_->tally.regret();
    last_ = report;
    totals.last = &last_;
    totals.bank = extras.bank;
    totals.point = learner_->decide();
    if (report.status == RoundStatus::refused && settings_.on_bad_row == "stop") {
        outcome.ending = RunEnding::refused;
        return false;
    }
    if (!settings_.checkpoint.empty()) {
        count_record(record);
        completed_ = totals;
    }
    return !outcome.io_error;
}

void LearnRun::finish(LearnOutcome& outcome) {
    const RunFooter footer = outputs_->tally.footer(learner_->close(), outcome.ending, learner_->seconds());
    outcome.certificate = outputs_->tally.certificate(footer);
    outcome.best_constant = sampler_.best(settings_.loss);
    const LedgerMark mark = outputs_->ledger ? outputs_->ledger->mark() : LedgerMark{};
    guarded(outcome, outputs_->ledger, [&](LedgerWriter& ledger) { ledger.finish(footer); });
    if (!settings_.checkpoint.empty()) {
        if (outputs_->ledger) {
            guarded(outcome, [&] { save_checkpoint(mark); });
        } else {
            outcome.problems.emplace_back("no checkpoint was written: its ledger is not whole");
        }
    }
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
