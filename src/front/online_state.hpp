/// The state of an OnlineLearner: options, losses, learner, tally and ledger.
#pragma once

#include "proxstream/gradient_check.hpp"
#include "proxstream/online_learner.hpp"

#include "core/violations.hpp"
#include "online/learner_table.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace proxstream {

/// Compares a few coordinates and one direction of the gradient at x with differences of values; `place`
/// tells rounds apart, and chooses the coordinates. Throws GradientMismatch.
void probe_gradient(const LossFunction& loss, ConstView x, Round place);

bool is_automatic(const TextOrNumber& setting);
/// Throws ConfigError unless the step is positive and finite.
Real parse_step(const TextOrNumber& step);
bool samples_gradients(const OnlineOptions& options);

struct OnlineLearner::State {
    State(OnlineOptions given, LossSource source)
        : options(std::move(given)), losses(std::move(source)), g(options.regulariser) {
        validate();
        choose_start();
    }

    /// Throws ConfigError that names every mistake.
    void validate();
    void check_sizes(Violations& violations);
    void check_figures(Violations& violations) const;
    void check_texts(Violations& violations) const;
    void choose_start();
    LearnerConfig parts(Real reference_step) const;

    /// Chooses the step from the first loss. Returns false if the loss is not usable.
    bool choose_step(const RecordRef& record);
    void make_learner();
    void open_books();
    void unmake();
    RunHeader header() const;
    void check_gradient(const RecordRef& record);
    void observe(const RecordRef& record, bool loss_known = true);
    void observe_first(const RecordRef& record);
    void observe_with_learner(const RecordRef& record);
    void account(const RoundReport& report);
    void rethrow_failure() {
        std::exception_ptr first = std::exchange(failure->first, nullptr);
        if (!first && losses.rows) first = losses.rows->take_failure();
        if (first) std::rethrow_exception(first);
    }
    Certificate certificate(RunEnding ending, RunFooter* footer = nullptr);
    void serialise(StateArchive& archive);

    OnlineOptions options;
    LossSource losses;
    AnyRegulariser g;
    std::shared_ptr<CallbackFailure> failure = std::make_shared<CallbackFailure>();
    std::vector<Real> start;
    Real step = 0;             // 0: not chosen yet
    Real smoothness = 0;       // L, as claimed
    Round refused_before = 0;  // rounds refused before the learner was made
    Round rounds_checked = 0;  // rounds whose gradients were compared
    std::unique_ptr<AnyLearner> learner;
    std::optional<Tally> tally;
    std::optional<LedgerWriter> ledger;
    OwnedRecord forecast;
    RoundReport last;
    bool losses_known = true;  // of the rounds so far
    bool busy = false;
    bool finished = false;
};

}  // namespace proxstream
