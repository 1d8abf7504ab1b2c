#include "run/learn_run.hpp"

#include "proxstream/core/error.hpp"

#include "core/not_known.hpp"
#include "loss/pass_family.hpp"
#include "run/learn_defaults.hpp"
#include "run/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

RunHeader run_header(const LearnSettings& settings, const std::string& learner_text,
                     const AnyLearner& learner) {
    RunHeader header = learner.facts();
    header.settings = result_settings(settings);
    header.settings.emplace_back("learner-in-use", learner_text);
    // The members of an ensemble have budgets of their own.
    if (header.members.empty()) header.max_steps = settings.max_steps;
    if (settings.max_seconds < kInfinity) header.max_seconds = settings.max_seconds;
    header.other_windows = other_windows(settings);
    return header;
}

const std::vector<std::string>& learn_channels() {
    static const std::vector<std::string> names{"loss",      "stationarity_gap", "bound",        "tolerance",
                                                "regret",    "regret_bound",     "variation",    "steps",
                                                "gradients", "seconds",          "average_loss", "active"};
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
      account_(run_header(settings_, settings_.learner, *learner_),
               problem_.make_meter(other_windows(settings_))),
      sampler_(settings.seed),
      last_{.record = problem_.stream().make_record(),
            .played = std::vector<Real>(problem_.family().dimension())},
      fed_(fed) {
    const auto expects = [](const RunHeader& header) { return header.model == "forecast"; };
    if (problem_.forecasts() != nullptr && !expects(header()) &&
        std::none_of(header().members.begin(), header().members.end(), expects)) {
        throw ConfigError("forecast = " + settings_.forecast + ": no model uses it; say --model forecast");
    }
    prepare_outputs();
}

void LearnRun::prepare_outputs() {
    const RowFamily& family = problem_.family();
    const TargetKind kind = family.target_kind();
    predictions_.format = {.kind = kind,
                           .classes = settings_.classes,
                           .class_count = kind == TargetKind::sign ? 2 : family.classes(),
                           .probabilities = family.has_probabilities(),
                           .id = settings_.key.empty() ? "row" : settings_.key};
    outcome_.metrics = Metrics(kind, family.classes(), settings_.metrics_window);
    const auto* passes = dynamic_cast<const PassFamily*>(&family);
    // With --ahead, the label of the row before is not known yet.
    if (passes != nullptr && kind == TargetKind::number && settings_.ahead == 1)
        outcome_.previous = PreviousLabel(passes->of_scores());
}

void LearnRun::begin(bool /*restored*/) {
    resumed_ = outcome_.totals;
    predicted_before_ = outcome_.totals.unlabelled;
    if (input_.records > 0 && !fed_) read_again();
    if (!settings_.ledger.empty()) account_.ledger.emplace(OutputFile::fresh(settings_.ledger), header());
    if (!settings_.predictions.empty()) open_predictions();
    if (!settings_.report.empty()) require_report_page();
    if (!settings_.metrics.empty())
        metrics_.file.emplace(open_output(journal_, settings_.metrics), settings_.metrics_every,
                              outcome_.metrics, metrics_.rows);
    outcome_.totals.regret = account_.tally.regret();
    outcome_.totals.point = learner_->decide();
}

void LearnRun::open_predictions() {
    predictions_.file.emplace(open_output(journal_, settings_.predictions));
    if (predictions_.file->end().bytes > 0) return;
    const std::string header = predictions_.format.header();
    outcome_.guarded(predictions_.file, [&](OutputFile& file) { file.write(header); });
}

bool LearnRun::next() {
    if (at_limit(outcome_.totals.rounds, settings_.rounds)) return false;
    bool more = false;
    try {
        more = problem_.stream().next(last_.record);
    } catch (const DataError&) {
        predict_unlabelled();
        throw;
    }
    if (!more) {
        predict_unlabelled();
        return false;
    }
    // Resume reads a whole record again, so a record cut short by an interruption is dropped.
    const bool stopped = stop_ != nullptr && *stop_;
    return !(stopped && last_.record.rows() < settings_.batch && journal_ != nullptr);
}

/// In the units of the data, within the range of the labels so far unless lags let it grow with the series.
Real LearnRun::reported(Real prediction) const {
    const auto& scale = problem_.stream().label_scale();
    const Real restored = scale ? scale->restored(prediction) : prediction;
    const bool clips = problem_.family().target_kind() == TargetKind::number && settings_.lags.empty();
    return clips ? outcome_.totals.labels.clipped(restored) : restored;
}

void LearnRun::predict(const RowBlock& rows, PredictedRows& to, Index first) {
    const RowFamily& family = problem_.family();
    const Index classes = predictions_.format.probabilities ? predictions_.format.class_count : 0;
    to.values.clear();
    to.probabilities.assign((rows.rows() - first) * classes, 0);
    for (Index row = first; row < rows.rows(); ++row) {
        to.values.push_back(reported(family.predict(rows, row, learner_->decide(), scratch_)));
        const View chances = View(to.probabilities).subspan((row - first) * classes, classes);
        if (classes > 0) family.probabilities(rows, row, learner_->decide(), chances, scratch_);
    }
}

void LearnRun::predict_unlabelled() {
    const RecordStream& stream = problem_.stream();
    const Index rows = stream.unlabelled().rows();
    // A resumed run first meets the rows again that it predicted at the end of its input.
    const Index known = std::min<Index>(std::exchange(predicted_before_, 0), rows);
    if (known == rows) return;
    predict(stream.unlabelled(), last_.unlabelled, known);
    outcome_.totals.unlabelled += rows - known;
    const std::span keys(stream.unlabelled_keys());
    write_predictions(last_.unlabelled, {}, keys.subspan(std::min(known, keys.size())));
}

void LearnRun::predict_record() {
    const RowBlock& record = last_.record;
    LearnProgress& totals = outcome_.totals;
    const RowFamily& family = problem_.family();
    const bool signs = family.target_kind() == TargetKind::sign;
    const bool classes = signs || family.target_kind() == TargetKind::category;
    const ConstView labels = problem_.stream().labels(record);
    predict(record, last_.predicted);
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = last_.predicted.values[row];
        if (classes && family.label(prediction) != record.target(row)) ++totals.errors;
        if (signs) totals.largest_score = std::max(totals.largest_score, std::abs(prediction));
        sampler_.add(record.target(row), record.weight(row));
        if (family.target_kind() == TargetKind::number) totals.labels.include(labels[row]);
    }
    totals.rows += record.rows();
    write_predictions(last_.predicted, labels, problem_.stream().keys());
}

/// `labels`: empty if they are not known. `keys`: of the first rows; others are known by their number.
void LearnRun::write_predictions(const PredictedRows& rows, ConstView labels,
                                 std::span<const std::string> keys) {
    // Standard output already has the predictions of replayed turns; a file was truncated to its length at
    // the state.
    if (settings_.predictions == "-" && journal_ != nullptr && journal_->replaying()) return;
    if (rows.values.empty()) return;
    outcome_.guarded(predictions_.file, [&](OutputFile& file) {
        std::string& lines = predictions_.lines;
        lines.clear();
        PredictionFormat& format = predictions_.format;
        format.negative = problem_.stream().reader().negative_label();
        const std::uint64_t before = outcome_.totals.rows + outcome_.totals.unlabelled - rows.values.size();
        for (Index row = 0; row < rows.values.size(); ++row) {
            const bool named = row < keys.size() && !keys[row].empty();
            format.append(lines, named ? keys[row] : std::to_string(before + row + 1),
                          {.value = rows.values[row],
                           .label = labels.empty() ? kNotKnown : labels[row],
                           .probabilities = rows.probabilities_of(row)});
        }
        file.write(lines);
        // A reader at the other end of a pipe may wait for the answer before it sends the next row.
        if (settings_.predictions == "-") file.flush();
    });
}

/// After the round: metrics, and the loss of the previous label. `loss` is NaN if the round was refused.
void LearnRun::score(Real loss) {
    const TargetKind kind = problem_.family().target_kind();
    const ConstView labels = problem_.stream().labels(last_.record);
    for (Index row = 0; row < labels.size(); ++row) {
        const ConstView chances = last_.predicted.probabilities_of(row);
        const Index place =
            kind == TargetKind::category ? static_cast<Index>(labels[row]) : Index{labels[row] > 0 ? 1U : 0U};
        outcome_.metrics.add({.prediction = last_.predicted.values[row],
                              .label = labels[row],
                              .weight = last_.record.weight(row),
                              .probability = chances.empty() ? kNotKnown : chances[place],
                              .loss = loss});
    }
    outcome_.previous.add(last_.record, problem_.stream());
    outcome_.guarded(metrics_.file, [&](MetricsFile& file) {
        file.on_rows(outcome_.metrics);
        metrics_.rows = file.rows();
    });
}

TurnResult LearnRun::play() {
    LearnProgress& totals = outcome_.totals;
    predict_unlabelled();
    predict_record();
    RowExtras extras;
    learn(extras);
    const RoundReport& report = last_.report;
    score(report.status == RoundStatus::refused ? kNotKnown : report.loss);
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
    if (journal_ == nullptr && !settings_.report.empty())
        series_.add(totals.rounds + totals.refused, record().figures);
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
                        "round was refused and nothing was learned from it; scale the columns",
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
                    last_.seconds,
                    outcome_.totals.loss_sum / static_cast<Real>(outcome_.totals.rounds),
                    outcome_.totals.ensemble == nullptr
                        ? kNotKnown
                        : static_cast<Real>(outcome_.totals.ensemble->active_member)};
    turn.decision = "{\"predictions\":[";
    for (Index i = 0; i < last_.predicted.values.size(); ++i) {
        const Real each = last_.predicted.values[i];
        turn.decision += (i > 0 ? "," : "") + (std::isfinite(each) ? fmt::format("{}", each) : "null");
    }
    turn.decision += "]}";
    return turn;
}

LearnRun::PredictedRows LearnRun::predict_aside(const std::function<void()>& feed) {
    RecordStream& stream = problem_.stream();
    StateArchive before;
    stream.serialise(before);
    const std::string bytes = before.seal();
    PredictedRows found;
    const auto restore = [&] {
        stream.forget_ahead();
        StateArchive back(bytes, "the stream");
        stream.serialise(back);
    };
    try {
        feed();
        RowBlock record = stream.make_record();
        if (stream.next(record)) throw Error("a row to be predicted has a label");
        predict(stream.unlabelled(), found);
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

void LearnRun::finish() {
    outcome_.best_constant = sampler_.best(settings_.loss);
    outcome_.guarded(account_.ledger, [&](LedgerWriter& ledger) { ledger.finish(footer(outcome_.ending)); });
    close_predictions();
    outcome_.guarded(metrics_.file, [&](MetricsFile& file) { file.finish(outcome_.metrics); });
    if (!settings_.certificate_json.empty()) {
        const std::string& path = settings_.certificate_json;
        const Certificate& certificate = outcome_.certificate;
        outcome_.guarded([&] {
            write_whole_file(path, path == "-" ? to_text(certificate) : to_json(certificate) + "\n");
        });
    }
    if (!settings_.report.empty()) outcome_.guarded([&] { write_report(); });
    if (settings_.save.empty()) return;
    Model model = problem_.model_at(learner_->decide(), outcome_.totals.rounds);
    model.labels = outcome_.totals.labels;
    outcome_.keeps_model = outcome_.data_error && is_regular_file(settings_.save);
    note_partial(settings_.save, outcome_.keeps_model);
    if (outcome_.keeps_model) return rescue_model(model, outcome_);
    save_or_rescue(settings_.save, model, outcome_);
}

/// Rows that end in an error do not replace the predictions of an earlier run.
void LearnRun::close_predictions() {
    const bool keeps = outcome_.data_error && predictions_.file && predictions_.file->replaces();
    if (predictions_.file) note_partial(settings_.predictions, keeps);
    if (keeps) return predictions_.file.reset();
    outcome_.guarded(predictions_.file, [](OutputFile& file) { file.close(); });
}

/// Says what an output has after an error in the data.
void LearnRun::note_partial(const std::string& path, bool keeps) {
    if (!outcome_.data_error || path == "-") return;
    outcome_.problems.push_back(path + (keeps ? ": left as it was, because of this error"
                                              : ": has the result of the rows before this error"));
}

}  // namespace proxstream
