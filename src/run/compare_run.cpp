#include "run/compare_run.hpp"

#include "proxstream/core/error.hpp"

#include "online/tuning_grid.hpp"
#include "regret/tally.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Whether decisions depend on the seed.
bool draws(const RunHeader& facts, std::string_view text) {
    const auto mentions = [text](const char* what) { return text.find(what) != std::string_view::npos; };
    if (facts.noise || mentions("replay=") || mentions("sampled-steps")) return true;
    if (facts.selection.starts_with("draw") || facts.selection.starts_with("hedge")) return true;
    return std::any_of(facts.members.begin(), facts.members.end(),
                       [](const RunHeader& member) { return draws(member, member.name); });
}

/// Drops the settings of the comparison, so that learners are made as `learn` makes them.
LearnSettings plain(const LearnSettings& settings) {
    LearnSettings kept = with_defaults(settings);
    kept.also_window.clear();  // the comparison measures windows w and 1 itself
    return kept;
}

}  // namespace

/// One run of one learner.
struct CompareRun::Runner {
    Runner(const LearnSettings& settings, const Problem& problem, const std::string& text, std::uint64_t seed)
        : learner(problem.make_learner(text, seed)),
          tally(run_header(settings, text, *learner)),
          meter(problem.make_meter({measured_window(settings.window), 1})),
          played(problem.family().dimension()) {
        result.learner = text;
    }

    /// Figures count from here.
    void begin_scoring() {
        unscored = tally.totals().cost;
        unscored_seconds = learner->seconds();
    }

    std::unique_ptr<AnyLearner> learner;
    Tally tally;
    RegretMeter<AnyRegulariser, AnyBatch> meter;
    std::vector<Real> played;
    std::uint64_t errors = 0;
    std::uint64_t rows = 0;
    Cost unscored;
    double unscored_seconds = 0;
    bool accepted = true;  // the last round
    CompareEntry result;
};

/// A learner of the comparison: candidates until one of them is chosen, then a run for each seed.
struct CompareRun::Line {
    struct Trial {
        std::unique_ptr<AnyLearner> learner;
        Round refused = 0;
        Real loss = 0;
    };
    std::vector<std::string> candidates;
    std::vector<Trial> trials;
    std::vector<std::unique_ptr<Runner>> runs;
    Index chosen = 0;
};

CompareRun::CompareRun(const LearnSettings& settings, const std::vector<std::string>& learners, StopFlag stop,
                       const CompareOptions& options)
    : stop_(stop), options_(options), settings_(plain(settings)), problem_(settings, stop, learners) {
    std::vector<std::string> violations;
    if (learners.empty()) violations.emplace_back("compare: no learner is named");
    for (const std::string& text : learners) {
        try {
            add_line(text);
        } catch (const ConfigError& error) {
            if (options_.skip_unsuited) {
                outcome_.left_out.push_back(text + ": " + error.violations().front());
            } else {
                violations.insert(violations.end(), error.violations().begin(), error.violations().end());
            }
        }
    }
    if (violations.empty() && lines_.empty()) violations = outcome_.left_out;
    if (!violations.empty()) throw ConfigError(violations);
}

CompareRun::~CompareRun() = default;

void CompareRun::add_line(const std::string& text) {
    Line line;
    line.candidates = options_.tune > 0 ? tuning_candidates(text) : std::vector{text};
    if (line.candidates.size() == 1) {
        start(line);
    } else {
        for (const std::string& each : line.candidates)
            line.trials.push_back({.learner = problem_.make_learner(each)});
    }
    lines_.push_back(std::move(line));
}

void CompareRun::start(Line& line) {
    const std::string& text = line.candidates[line.chosen];
    const auto add = [&](Index k) {
        line.runs.push_back(std::make_unique<Runner>(settings_, problem_, text, settings_.seed + k));
    };
    add(0);
    const bool random = options_.seeds > 1 && draws(line.runs.front()->learner->facts(), text);
    for (Index k = 1; random && k < options_.seeds; ++k) add(k);
    line.trials.clear();
}

/// Chooses the candidate with the least loss on the first records. A candidate that refuses a record comes
/// last.
void CompareRun::tune(const std::function<void(Round)>& on_round) {
    const bool any =
        std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.trials.empty(); });
    if (!any) return;
    progress_.tuning = true;
    // There may be more: the records that the step was estimated from.
    for (const RowBlock& record : problem_.stream().peek(options_.tune)) {
        if (stopped()) return;
        if (progress_.rounds == options_.tune) break;
        for (Line& line : lines_) {
            for (Line::Trial& trial : line.trials) {
                const RoundReport report = trial.learner->observe(record);
                if (report.status == RoundStatus::refused) {
                    ++trial.refused;
                } else {
                    trial.loss += report.loss;
                }
            }
        }
        outcome_.tuned_rows += record.rows();
        on_round(++progress_.rounds);
    }
    for (Line& line : lines_) {
        const auto better = [](const Line::Trial& a, const Line::Trial& b) {
            return a.refused != b.refused ? a.refused < b.refused : a.loss < b.loss;
        };
        if (line.trials.empty()) continue;
        const auto best = std::min_element(line.trials.begin(), line.trials.end(), better);
        line.chosen = static_cast<Index>(best - line.trials.begin());
    }
}

void CompareRun::measure_errors(Runner& runner, const RowBlock& record) {
    const RowFamily& family = problem_.family();
    const auto& scale = problem_.stream().label_scale();
    const bool clips = settings_.lags.empty();
    for (Index row = 0; row < record.rows(); ++row) {
        const Real prediction = family.predict(record, row, runner.played, scratch_);
        if (family.label(prediction) != record.target(row)) ++runner.errors;
        const Real restored = scale ? scale->restored(prediction) : prediction;
        const Real error =
            (clips ? labels_.clipped(restored) : restored) - problem_.stream().labels(record)[row];
        runner.result.mean_squared_error += error * error;
        runner.result.mean_absolute_error += std::abs(error);
    }
    runner.rows += record.rows();
}

void CompareRun::play(Runner& runner, const RowBlock& record) {
    copy(runner.learner->decide(), runner.played);
    if (scoring()) measure_errors(runner, record);
    const RoundReport report = runner.learner->observe(record);
    runner.accepted = report.status != RoundStatus::refused;
    RowExtras extras;
    if (runner.accepted) extras.ensemble = runner.learner->ensemble();
    runner.tally.add(report, extras);
    CompareEntry& result = runner.result;
    result.curve.add(runner.accepted ? report.loss : std::numeric_limits<Real>::quiet_NaN());
    if (!runner.accepted) {
        ++result.refused;
        return;
    }
    runner.meter.measure(record, runner.played);
    if (!scoring()) return;
    ++result.rounds;
    result.loss += report.loss;
    result.windowed_loss += runner.meter.values()[0];
    result.regret += runner.meter.gaps()[0] * runner.meter.gaps()[0];
    result.regret_one += runner.meter.gaps()[1] * runner.meter.gaps()[1];
    const ConstView next = runner.learner->decide();
    Index changed = 0;
    for (Index i = 0; i < next.size(); ++i) changed += next[i] != runner.played[i] ? 1 : 0;
    if (changed == 0) return;
    result.movement += distance(next, runner.played);
    result.changed += changed;
    ++result.active;
}

bool CompareRun::play_round(const RowBlock& record) {
    const Round rounds = progress_.rounds;
    ForecastFeed* forecasts = problem_.forecasts();
    const RowBlock* forecast = forecasts == nullptr ? nullptr : forecasts->next();
    bool accepted = false;
    for (Line& line : lines_) {
        for (const auto& run : line.runs) {
            if (rounds == options_.score_after) run->begin_scoring();
            if (forecast != nullptr) run->learner->expect(*forecast);
            play(*run, record);
            accepted = accepted || run->accepted;
        }
    }
    if (const std::exception_ptr failure = problem_.family().take_failure()) std::rethrow_exception(failure);
    if (!accepted) return false;
    for (Line& line : lines_) {
        for (const auto& run : line.runs)
            if (!run->accepted && run->result.failed == 0) run->result.failed = rounds + 1;
    }
    return true;
}

void CompareRun::play_all(const std::function<void(Round)>& on_round) {
    RowBlock record = problem_.stream().make_record();
    Round& rounds = progress_.rounds;
    while (!stopped() && (settings_.rounds == 0 || rounds < settings_.rounds) &&
           problem_.stream().next(record)) {
        const bool accepted = play_round(record);
        if (scoring()) outcome_.scored_rows += record.rows();
        ++rounds;
        if (!accepted) ++outcome_.refused;
        for (const Real label : problem_.stream().labels(record)) labels_.include(label);
        outcome_.rows += record.rows();
        progress_.rows = outcome_.rows;
        const CompareEntry& first = lines_.front().runs.front()->result;
        progress_.loss = first.loss / static_cast<Real>(std::max<Round>(first.rounds, 1));
        on_round(rounds);
    }
}

/// The figures of a run that has ended.
CompareEntry CompareRun::figures_of(Runner& run, RunEnding ending) {
    CompareEntry& result = run.result;
    const Real count = static_cast<Real>(std::max<Round>(result.rounds, 1));
    result.loss /= count;
    result.least_loss = result.greatest_loss = result.loss;
    result.windowed_loss /= count;
    const Real rows = static_cast<Real>(std::max<std::uint64_t>(run.rows, 1));
    result.error_rate = static_cast<Real>(run.errors) / rows;
    result.mean_squared_error /= rows;
    result.mean_absolute_error /= rows;
    const ConstView x = run.learner->decide();
    result.nonzeros =
        static_cast<Index>(std::count_if(x.begin(), x.end(), [](Real value) { return value != 0; }));
    const Cost scored = run.tally.totals().cost - run.unscored;
    result.record_gradients = scored.record_gradients;
    result.base_samples = scored.base_samples;
    const double seconds = run.learner->seconds();
    result.seconds = seconds - run.unscored_seconds;
    result.certificate = run.tally.certificate(run.tally.footer(run.learner->close(), ending, seconds));
    if (!result.certificate.sound()) result.unsound.push_back(conclusion(result.certificate));
    return std::move(result);
}

/// Means over the seeds. Counts, curve and certificate are those of the first seed.
CompareEntry CompareRun::entry_of(Line& line, RunEnding ending) {
    CompareEntry entry = figures_of(*line.runs.front(), ending);
    entry.candidates = line.candidates.size();
    entry.chosen = line.chosen;
    entry.seeds = line.runs.size();
    constexpr std::array kMeans{&CompareEntry::loss,
                                &CompareEntry::windowed_loss,
                                &CompareEntry::regret,
                                &CompareEntry::regret_one,
                                &CompareEntry::movement,
                                &CompareEntry::error_rate,
                                &CompareEntry::mean_squared_error,
                                &CompareEntry::mean_absolute_error,
                                &CompareEntry::seconds};
    for (Index k = 1; k < entry.seeds; ++k) {
        CompareEntry other = figures_of(*line.runs[k], ending);
        for (const auto mean : kMeans) entry.*mean += other.*mean;
        entry.least_loss = std::min(entry.least_loss, other.loss);
        entry.greatest_loss = std::max(entry.greatest_loss, other.loss);
        entry.refused = std::max(entry.refused, other.refused);
        if (entry.failed == 0) entry.failed = other.failed;
        entry.unsound.insert(entry.unsound.end(), other.unsound.begin(), other.unsound.end());
    }
    for (const auto mean : kMeans) entry.*mean /= static_cast<Real>(entry.seeds);
    return entry;
}

CompareOutcome CompareRun::run(const std::function<void(Round)>& on_round) {
    const TargetKind kind = problem_.family().target_kind();
    outcome_.numbers = kind == TargetKind::number;
    outcome_.classes = kind == TargetKind::sign || kind == TargetKind::category;
    try {
        tune(on_round);
        progress_ = {};
        for (Line& line : lines_)
            if (line.runs.empty()) start(line);
        play_all(on_round);
    } catch (const DataError& error) {
        outcome_.data_error = error.what();
    }
    outcome_.interrupted = stopped();
    const RunEnding ending = outcome_.interrupted          ? RunEnding::interrupted
                             : outcome_.data_error.empty() ? RunEnding::finished
                                                           : RunEnding::failed;
    for (Line& line : lines_) {
        if (line.runs.empty()) start(line);  // no row could be read
        outcome_.entries.push_back(entry_of(line, ending));
    }
    return std::move(outcome_);
}

RoundCount count_rounds(const LearnSettings& settings, Round most, StopFlag stop) {
    RoundCount count;
    try {
        Problem problem(settings, stop);
        RowBlock record = problem.stream().make_record();
        while ((most == 0 || count.rounds < most) && problem.stream().next(record)) ++count.rounds;
    } catch (const DataError&) {
        count.error = std::current_exception();
    }
    return count;
}

}  // namespace proxstream
