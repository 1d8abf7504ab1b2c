#include "run/learn_run.hpp"

#include "proxstream/core/error.hpp"

#include "core/not_known.hpp"
#include "front/header_of.hpp"
#include "run/learn_defaults.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
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

LearnRun::LearnRun(const LearnSettings& settings, StopFlag stop, RunOrigin origin, ConstView start)
    : LearnRun(settings, stop, std::move(origin), Problem(settings, stop), false, start) {}

LearnRun::LearnRun(const LearnSettings& settings, std::unique_ptr<RowReader> rows, ConstView start)
    : LearnRun(settings, nullptr, {}, Problem(settings, std::move(rows)), true, start) {}

LearnRun::LearnRun(const LearnSettings& settings, StopFlag stop, RunOrigin origin, Problem problem, bool fed,
                   ConstView start)
    : TurnRun(std::move(origin)),
      settings_(with_defaults(settings)),
      stop_(stop),
      problem_(start.empty() ? std::move(problem) : std::move(problem).from(start)),
      learner_(problem_.make_learner(settings_.learner)),
      account_(run_header(settings_, problem_, settings_.learner, learner_->facts()),
               problem_.make_meter(other_windows(settings_))),
      sampler_(settings.seed),
      last_{.record = problem_.stream().make_record(),
            .played = std::vector<Real>(problem_.family().dimension()),
            .predictions = {}},
      fed_(fed) {
    const auto expects = [](const RunHeader& header) { return header.model == "forecast"; };
    if (problem_.forecasts() != nullptr && !expects(header()) &&
        std::none_of(header().members.begin(), header().members.end(), expects)) {
        throw ConfigError("forecast = " + settings_.forecast + ": no model uses it; say --model forecast");
    }
}

void LearnRun::begin(bool restored) {
    resumed_ = outcome_.totals;
    if (input_.records > 0 && !fed_) read_again();
    if (!settings_.ledger.empty()) account_.ledger.emplace(OutputFile::fresh(settings_.ledger), header());
    if (!settings_.predictions.empty()) {
        const bool continues = restored && settings_.predictions != "-";
        predictions_.file.emplace(continues
                                      ? OutputFile::continue_after(settings_.predictions, predictions_.bytes)
                                      : OutputFile::fresh(settings_.predictions, journal_ != nullptr));
    }
    outcome_.totals.regret = account_.tally.regret();
    outcome_.totals.point = learner_->decide();
}

bool LearnRun::next() {
    if (settings_.rounds > 0 && outcome_.totals.rounds >= settings_.rounds) return false;
    if (!problem_.stream().next(last_.record)) {
        // Rows without a label may stand at the end.
        predict_unlabelled();
        write_predictions(last_.unlabelled);
        return false;
    }
    // A record that an interruption has cut short is read whole on resume.
    const bool stopped = stop_ != nullptr && *stop_;
    return !(stopped && last_.record.rows() < settings_.batch && journal_ != nullptr);
}

/// In the units of the data, within the range of the labels so far.
Real LearnRun::reported(Real prediction) const {
    const auto& scale = problem_.stream().label_scale();
    const Real restored = scale ? scale->restored(prediction) : prediction;
    const bool clips = problem_.family().target_kind() == TargetKind::number;
    return clips ? outcome_.totals.labels.clipped(restored) : restored;
}

void LearnRun::predict_unlabelled() {
    const RowBlock& rows = problem_.stream().unlabelled();
    last_.unlabelled.clear();
    for (Index row = 0; row < rows.rows(); ++row)
        last_.unlabelled.push_back(
            reported(problem_.family().predict(rows, row, learner_->decide(), scratch_)));
    outcome_.totals.unlabelled += rows.rows();
}

void LearnRun::predict() {
    const RowBlock& record = last_.record;
    LearnProgress& totals = outcome_.totals;
    const RowFamily& family = problem_.family();
    const bool numbers = family.target_kind() == TargetKind::number;
    const bool classes =
        family.target_kind() == TargetKind::sign || family.target_kind() == TargetKind::category;
    const ConstView labels = problem_.stream().labels(record);
    last_.predictions.clear();
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = family.predict(record, row, learner_->decide(), scratch_);
        last_.predictions.push_back(reported(prediction));
        if (classes && family.label(prediction) != record.target(row)) ++totals.errors;
        if (numbers) {
            const Real error = last_.predictions.back() - labels[row];
            totals.squared_errors += error * error;
            totals.absolute_errors += std::abs(error);
        }
        sampler_.add(record.target(row));
    }
    if (numbers) {
        for (const Real label : labels) totals.labels.include(label);
    }
    totals.rows += record.rows();
}

void LearnRun::write_predictions(ConstView predictions) {
    // Standard output has the predictions of replayed turns already; a file was cut to where it was.
    if (settings_.predictions == "-" && journal_ != nullptr && journal_->replaying()) return;
    outcome_.guarded(predictions_.file, [&](OutputFile& file) {
        std::string& lines = predictions_.lines;
        lines.clear();
        for (const Real prediction : predictions) lines += fmt::format("{}\n", prediction);
        predictions_.bytes += lines.size();
        file.write(lines);
        // A reader at the other end of a pipe may wait for the answer before it sends the next row.
        if (settings_.predictions == "-") file.flush();
    });
}

TurnResult LearnRun::play() {
    LearnProgress& totals = outcome_.totals;
    predict_unlabelled();
    write_predictions(last_.unlabelled);
    predict();
    write_predictions(last_.predictions);
    RowExtras extras;
    learn(extras);
    const RoundReport& report = last_.report;
    account_.add(report, extras);
    if (journal_ != nullptr) {
        journal_->row(0, report, extras);
        ++input_.records;
        last_.record.add_to(input_.seen);
    }
    outcome_.guarded(account_.ledger, [&](LedgerWriter& ledger) { ledger.write(report, extras); });
    totals.regret = account_.tally.regret();
    totals.last = &report;
    totals.ensemble = extras.ensemble;
    totals.point = learner_->decide();
    const bool stops = report.status == RoundStatus::refused && settings_.on_bad_row == "stop";
    if (stops) outcome_.ending = RunEnding::refused;
    return {.last = stops};
}

void LearnRun::learn(RowExtras& extras) {
    const double before = learner_->seconds();
    if (ForecastFeed* forecasts = problem_.forecasts()) {
        if (const RowBlock* forecast = forecasts->next()) learner_->expect(*forecast);
    }
    const bool measures = !header().other_windows.empty();
    if (measures) copy(learner_->decide(), last_.played);
    RoundReport& report = last_.report = learner_->observe(last_.record);
    last_.seconds = learner_->seconds() - before;
    if (const std::exception_ptr failure = problem_.family().take_failure()) std::rethrow_exception(failure);
    LearnProgress& totals = outcome_.totals;
    if (report.status == RoundStatus::refused) {
        ++totals.refused;
        outcome_.problems.push_back(
            fmt::format("{}:{}: the loss is not a finite number here, or its gradient is beyond 1e150; the "
                        "round was refused and nothing was "
                        "learned from it",
                        problem_.stream().reader().source(), problem_.stream().line()));
        return;
    }
    if (measures) account_.measure(last_.record, last_.played, report, extras);
    extras.ensemble = learner_->ensemble();
    ++totals.rounds;
    totals.loss_sum += report.loss;
    totals.steps += report.steps;
    if (report.status == RoundStatus::budget_exhausted) ++totals.on_budget;
}

TurnRecord LearnRun::record() const {
    const RoundReport& report = last_.report;
    const bool played = report.status != RoundStatus::refused && report.round > 0;
    const auto known = [&](Real figure) { return played ? figure : kNotKnown; };
    TurnRecord turn;
    turn.figures = {known(report.loss),
                    known(report.entry_gap),
                    known(report.firm_bound + report.gap_rounding),
                    known(report.tolerance),
                    account_.tally.regret(),
                    account_.regret_bound,
                    known(report.variation),
                    known(static_cast<Real>(report.steps)),
                    static_cast<Real>(report.cost.record_gradients),
                    last_.seconds};
    turn.decision = "{\"predictions\":[";
    for (Index i = 0; i < last_.predictions.size(); ++i) {
        const Real each = last_.predictions[i];
        turn.decision += (i > 0 ? "," : "") + (std::isfinite(each) ? fmt::format("{}", each) : "null");
    }
    turn.decision += "]}";
    return turn;
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
        if (stream.next(record)) throw Error("a row to be predicted has a label");
        const RowBlock& rows = stream.unlabelled();
        for (Index row = 0; row < rows.rows(); ++row) {
            const Real value = problem_.family().predict(rows, row, learner_->decide(), scratch_);
            found.push_back(reported(value));
        }
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return found;
}

RunFooter LearnRun::footer(RunEnding ending) const {
    return account_.tally.footer(learner_->close(), ending, learner_->seconds());
}

Certificate LearnRun::certificate(RunEnding ending) const {
    return account_.tally.certificate(footer(ending));
}

void LearnRun::certify(RunEnding ending) {
    outcome_.certificate = certificate(ending);
    outcome_.sound = outcome_.certificate.sound();
    outcome_.refused = outcome_.totals.refused;
}

RunResult LearnRun::result() const {
    return {.certificate = to_json(outcome_.certificate)};
}

void LearnRun::finish() {
    outcome_.best_constant = sampler_.best(settings_.loss);
    outcome_.guarded(account_.ledger, [&](LedgerWriter& ledger) { ledger.finish(footer(outcome_.ending)); });
    outcome_.guarded(predictions_.file, [](OutputFile& file) { file.close(); });
    if (!settings_.certificate_json.empty()) {
        outcome_.guarded(
            [&] { write_whole_file(settings_.certificate_json, to_json(outcome_.certificate) + "\n"); });
    }
    if (settings_.save.empty()) return;
    Model model = problem_.model_at(learner_->decide(), outcome_.totals.rounds);
    model.labels = outcome_.totals.labels;
    save_or_rescue(settings_.save, model, outcome_);
}

}  // namespace proxstream
