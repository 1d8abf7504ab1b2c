#include "study/stream_comparison.hpp"

#include "proxstream/core/spec.hpp"

#include "regret/tally.hpp"
#include "run/label_scale.hpp"
#include "run/learn_run.hpp"

#include <algorithm>

namespace proxstream {
namespace {

constexpr Index kLongestPrefix = 2000;
constexpr Index kReportEvery = 64;  // rounds

std::vector<RowBlock> read_records(RecordStream& stream, Index rows) {
    std::vector<RowBlock> records;
    RowBlock record = stream.make_record();
    while (records.size() < rows && stream.next(record)) records.push_back(record);
    return records;
}

/// Which labels carry an error: those that differ from a reading of the same stream without corruption.
std::vector<bool> corrupted_labels(LearnSettings settings, Index rows) {
    if (settings.corrupt.empty()) return {};
    settings.standardise = settings.standardise_label = false;
    Problem dirty(settings);
    settings.corrupt.clear();
    Problem clean(settings);
    RowBlock given = dirty.stream().make_record();
    RowBlock true_one = clean.stream().make_record();
    std::vector<bool> moved;
    while (moved.size() < rows && dirty.stream().next(given) && clean.stream().next(true_one)) {
        moved.push_back(given.target(0) != true_one.target(0));
    }
    return moved;
}

/// Whether the label's value one row ago is a feature, so that learners know it too.
bool knows_last_value(const LearnSettings& settings) {
    const auto names = [](const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    const bool first_lag =
        std::any_of(settings.lags.begin(), settings.lags.end(),
                    [](const std::string& lag) { return lag == "1" || lag.starts_with("1.."); });
    return first_lag && settings.batch == 1 &&
           (settings.lag_columns.empty() || names(settings.lag_columns, settings.label));
}

/// The label of the row before, in the units that the row's own label is given in.
std::vector<Real> find_last_values(LearnSettings settings, const Problem& problem, Index rows) {
    const RowFamily& family = problem.family();
    // The prediction takes the place of the intercept.
    const bool constant = settings.intercept && family.penalised() + 1 == family.dimension();
    if (!knows_last_value(settings) || !constant || family.target_kind() != TargetKind::number) return {};
    std::optional<LabelScale> scale;
    if (settings.standardise_label) scale.emplace();
    settings.standardise = settings.standardise_label = false;
    Problem raw(settings);
    RowBlock record = raw.stream().make_record();
    std::vector<Real> values;
    Real last = 0;
    while (values.size() < rows && raw.stream().next(record)) {
        const Real label = record.target(0);
        Real prediction = last;
        if (scale) {
            scale->apply(record, true);
            const Real shift = scale->restored(0);
            const Real deviation = scale->restored(1) - shift;
            prediction = deviation > 0 ? (last - shift) / deviation : 0;
        }
        values.push_back(prediction);
        last = label;
    }
    return values;
}

}  // namespace

/// One learner on the stream.
class StreamComparison::EntryRun {
  public:
    struct RunningMean {
        Real sum = 0;
        Round count = 0;

        void add(Real value) {
            sum += value;
            ++count;
        }
        Real value() const { return sum / static_cast<Real>(std::max<Round>(count, 1)); }
    };

    EntryRun(const StreamComparison& comparison, const std::string& text, std::uint64_t seed)
        : comparison_(comparison),
          learner_(comparison.problem_.make_learner(text, seed)),
          tally_(run_header(comparison.settings_, comparison.problem_, text, learner_->facts())) {
        const TargetKind kind = comparison.problem_.family().target_kind();
        classes_ = kind == TargetKind::sign || kind == TargetKind::category;
    }

    /// Plays the records from `from` to `to`; what it scores begins anew. False when stopped.
    bool drive(Index from, Index to, StopFlag stop, const std::function<void(Index)>& on_round) {
        loss_ = clean_loss_ = errors_ = gradients_ = {};
        for (Index t = from; t < to; ++t) {
            if (stop != nullptr && *stop) return false;
            play(t);
            if ((t + 1) % kReportEvery == 0) on_round(t + 1);
        }
        return true;
    }

    Real loss() const { return refused_ == 0 ? loss_.value() : kInfinity; }

    EntryScore score() {
        EntryScore score;
        score.loss = loss_.value();
        if (!comparison_.corrupted_.empty()) score.clean_loss = clean_loss_.value();
        if (classes_) score.error_share = errors_.value();
        score.gradients = gradients_.value();
        score.seconds = learner_->seconds();
        score.refused = refused_;
        const Certificate certificate =
            tally_.certificate(tally_.footer(learner_->close(), RunEnding::finished, score.seconds));
        if (!certificate.sound()) score.complaint = conclusion(certificate);
        return score;
    }

  private:
    void play(Index t) {
        const RowBlock& record = comparison_.records_[t];
        const RowFamily& family = comparison_.problem_.family();
        if (classes_) {
            const Real prediction = family.predict(record, 0, learner_->decide(), scratch_);
            errors_.add(family.label(prediction) != record.target(0) ? 1 : 0);
        }
        const RoundReport report = learner_->observe(record);
        RowExtras extras;
        if (report.status != RoundStatus::refused) extras.bank = learner_->bank();
        tally_.add(report, extras);
        gradients_.add(static_cast<Real>(report.cost.record_gradients));
        if (report.status == RoundStatus::refused) {
            ++refused_;
            return;
        }
        loss_.add(report.loss);
        if (comparison_.is_clean(t)) clean_loss_.add(report.loss);
    }

    const StreamComparison& comparison_;
    std::unique_ptr<AnyLearner> learner_;
    Tally tally_;
    bool classes_ = false;
    RunningMean loss_, clean_loss_, errors_, gradients_;
    Round refused_ = 0;
    Scratch scratch_;
};

StreamComparison::StreamComparison(const LearnSettings& settings, Index rows)
    : settings_(settings),
      problem_(settings),
      records_(read_records(problem_.stream(), rows)),
      corrupted_(corrupted_labels(settings, rows)),
      last_values_(find_last_values(settings, problem_, rows)) {}

Index StreamComparison::prefix() const noexcept {
    return std::min(rounds() / 10, kLongestPrefix);
}

Index StreamComparison::work(const Entry& entry) const {
    return rounds() + (entry.candidates.size() > 1 ? entry.candidates.size() * prefix() : 0);
}

EntryScore StreamComparison::score_last_value() const {
    EntryScore score;
    EntryRun::RunningMean loss, clean_loss;
    Scratch scratch;
    std::vector<Real> x(problem_.family().dimension());
    for (Index t = prefix(); t < rounds(); ++t) {
        x.back() = last_values_[t];
        const Real value = problem_.family().value(records_[t], x, scratch);
        loss.add(value);
        if (is_clean(t)) clean_loss.add(value);
    }
    score.loss = loss.value();
    if (!corrupted_.empty()) score.clean_loss = clean_loss.value();
    return score;
}

std::optional<EntryScore> StreamComparison::run(const Entry& entry, std::uint64_t seed, StopFlag stop,
                                                const std::function<void(Index)>& on_rounds) const {
    if (entry.candidates.empty()) return score_last_value();
    const Candidate* best = &entry.candidates.front();
    Real least = kInfinity;
    Index before = 0;
    const auto on_round = [&](Index t) { on_rounds(before + t); };
    if (entry.candidates.size() > 1) {
        for (const Candidate& candidate : entry.candidates) {
            EntryRun trial(*this, candidate.learner, seed);
            if (!trial.drive(0, prefix(), stop, on_round)) return std::nullopt;
            before += prefix();
            if (trial.loss() < least) {
                least = trial.loss();
                best = &candidate;
            }
        }
    }
    EntryRun whole(*this, best->learner, seed);
    if (!whole.drive(0, prefix(), stop, on_round) || !whole.drive(prefix(), rounds(), stop, on_round))
        return std::nullopt;
    EntryScore score = whole.score();
    score.chosen = *best;
    return score;
}

}  // namespace proxstream
