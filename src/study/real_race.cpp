#include "study/real_race.hpp"

#include "regret/tally.hpp"
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

/// Which labels were moved: those that differ from a reading of the same stream without corruption.
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

}  // namespace

/// One learner on its way over the stream.
class Race::Lap {
  public:
    Lap(const Race& race, const std::string& text)
        : race_(race),
          learner_(race.problem_.make_learner(text)),
          tally_(run_header(race.settings_, race.problem_, text, learner_->facts())) {
        const TargetKind kind = race.problem_.family().target_kind();
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

    RaceScore score() {
        RaceScore score;
        score.loss = loss_.value();
        if (!race_.corrupted_.empty()) score.clean_loss = clean_loss_.value();
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
    struct Mean {
        Real sum = 0;
        Round count = 0;

        void add(Real value) {
            sum += value;
            ++count;
        }
        Real value() const { return sum / static_cast<Real>(std::max<Round>(count, 1)); }
    };

    void play(Index t) {
        const RowBlock& record = race_.records_[t];
        const RowFamily& family = race_.problem_.family();
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
        if (race_.corrupted_.empty() || !race_.corrupted_[t]) clean_loss_.add(report.loss);
    }

    const Race& race_;
    std::unique_ptr<AnyLearner> learner_;
    Tally tally_;
    bool classes_ = false;
    Mean loss_, clean_loss_, errors_, gradients_;
    Round refused_ = 0;
    Scratch scratch_;
};

Race::Race(const LearnSettings& settings, Index rows)
    : settings_(settings),
      problem_(settings),
      records_(read_records(problem_.stream(), rows)),
      corrupted_(corrupted_labels(settings, rows)) {}

Index Race::prefix() const noexcept {
    return std::min(rounds() / 10, kLongestPrefix);
}

Index Race::work(const Racer& racer) const {
    return rounds() + (racer.candidates.size() > 1 ? racer.candidates.size() * prefix() : 0);
}

std::optional<RaceScore> Race::run(const Racer& racer, StopFlag stop,
                                   const std::function<void(Index)>& on_rounds) const {
    const Candidate* best = &racer.candidates.front();
    Real least = kInfinity;
    Index before = 0;
    const auto on_round = [&](Index t) { on_rounds(before + t); };
    if (racer.candidates.size() > 1) {
        for (const Candidate& candidate : racer.candidates) {
            Lap lap(*this, candidate.learner);
            if (!lap.drive(0, prefix(), stop, on_round)) return std::nullopt;
            before += prefix();
            if (lap.loss() < least) {
                least = lap.loss();
                best = &candidate;
            }
        }
    }
    Lap lap(*this, best->learner);
    if (!lap.drive(0, prefix(), stop, on_round) || !lap.drive(prefix(), rounds(), stop, on_round))
        return std::nullopt;
    RaceScore score = lap.score();
    score.chosen = *best;
    return score;
}

}  // namespace proxstream
