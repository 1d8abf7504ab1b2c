#include "proxstream/online_learner.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/gradient_check.hpp"
#include "proxstream/prox/combinators.hpp"

#include "front/first_step.hpp"
#include "front/gradient_probe.hpp"
#include "front/guarded_regulariser.hpp"
#include "front/header_of.hpp"
#include "online/learner_table.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"
#include "solve/inner_table.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <ostream>
#include <tuple>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Texts = std::vector<std::string>;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

constexpr Round kCheckedRounds = 3;  // whose gradients are compared with differences of values

bool is_automatic(const TextOrNumber& setting) {
    return setting.text() == "auto";
}

Real parse_step(const TextOrNumber& step) {
    const Real value = parse_real(step.text(), "step");
    if (!(value > 0 && value <= kAbsurd))
        throw ConfigError(fmt::format("step = {}: must be positive and finite, or auto", step.text()));
    return value;
}

bool samples_gradients(const OnlineOptions& options) {
    return options.sampler || Spec::parse(options.oracle).name() != "exact" ||
           Spec::parse(options.inner).name() == "spider";
}

/// By their names, as header and messages show them.
NamedTexts texts_of(const OnlineOptions& options, Index dimension) {
    return {{"dimension", fmt::format("{}", dimension)},
            {"window", options.window.text()},
            {"forecast", options.forecast},
            {"step", options.step.text()},
            {"smoothness", format_short(options.smoothness)},
            {"tolerance", options.tolerance.text()},
            {"inner", options.inner},
            {"learner", options.learner},
            {"hysteresis", format_short(options.hysteresis)},
            {"switching", format_short(options.switching)},
            {"max-steps", fmt::format("{}", options.max_steps)},
            {"max-seconds", format_short(options.max_seconds)},
            {"effort", format_short(options.effort)},
            {"oracle", options.sampler ? options.sampler->name : options.oracle},
            {"confirm", fmt::format("{}", options.confirm)},
            {"referee", options.referee ? "true" : "false"},
            {"seed", fmt::format("{}", options.seed)}};
}

/// The user's sampler; an exception of it spoils the estimate instead of leaving the round half done.
CallbackOracle oracle_of(const GradientSampler& given, std::shared_ptr<CallbackFailure> failure) {
    return {[sample = given.sample, failure = std::move(failure)](Round record, ConstView x, const Draw& draw,
                                                                  std::vector<Real>& gradient) {
                const Real fine = failure->value_of([&] {
                    sample(record, x, draw, gradient);
                    return Real{0};
                });
                if (std::isnan(fine)) gradient.assign(x.size(), fine);
            },
            given.samples,
            {given.noise, given.bounded, given.independent, given.name}};
}

/// The report of a first round whose loss cannot be used.
RoundReport refused_first() {
    RoundReport report;
    report.round = 1;
    report.status = RoundStatus::refused;
    report.cost.record_gradients = 1;
    return report;
}

/// True while a round is being worked on.
class Busy {
  public:
    explicit Busy(bool& flag) : flag_(flag) {
        if (flag_) throw ConfigError("observe() was called from inside a loss, regulariser or sampler");
        flag_ = true;
    }
    ~Busy() { flag_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

  private:
    bool& flag_;
};

}  // namespace

std::string TextOrNumber::text_of(Real number) {
    return format_short(number);
}

LossSource LossSource::of_rows(std::shared_ptr<const RowFamily> rows) {
    if (!rows) throw ConfigError("there is no loss of data rows");
    LossSource source;
    source.dimension = rows->dimension();
    source.make_batch = [rows](Index capacity, const Failure& /*failure*/) {
        return rows->make_batch(capacity);
    };
    source.rows = std::move(rows);
    return source;
}

LossSource LossSource::of_closures(Index dimension) {
    LossSource source = of(FunctionFamily(dimension));
    source.closures = true;
    return source;
}

struct OnlineLearner::State {
    State(OnlineOptions given, LossSource source)
        : options(std::move(given)), losses(std::move(source)), g(options.regulariser) {
        validate();
        choose_start();
    }

    /// Everything that is wrong, at once.
    void validate();
    void check_sizes(Texts& violations);
    void check_figures(Texts& violations) const;
    void check_texts(Texts& violations) const;
    void choose_start();
    LearnerParts parts(Real reference_step) const;

    /// From the first loss. False: it is not usable.
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
    void exchange(Checkpoint& checkpoint);

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

void OnlineLearner::State::validate() {
    Texts violations;
    check_sizes(violations);
    check_figures(violations);
    check_texts(violations);
    if (!violations.empty()) throw ConfigError(violations);
}

void OnlineLearner::State::check_sizes(Texts& violations) {
    const auto refuse = [&](bool wrong, const std::string& text) {
        if (wrong) violations.push_back(text);
    };
    Index& n = options.dimension;
    if (n == 0) n = losses.dimension;
    if (n == 0) n = options.start.size();
    refuse(n == 0, "dimension: not given; it is the number of coordinates of a decision");
    refuse(losses.dimension != 0 && losses.dimension != n,
           fmt::format("dimension = {}: the losses are functions of {} coordinates", n, losses.dimension));
    if (losses.closures) losses = LossSource::of_closures(n);
    refuse(!options.start.empty() && options.start.size() != n,
           fmt::format("start: has {} numbers, and a decision has {}", options.start.size(), n));
    refuse(!all_finite(options.start), "start: all its numbers must be finite");
    // Intercepts and biases of models of rows, which come last, are not penalised.
    const Index penalised = losses.rows ? losses.rows->penalised() : n;
    collect(violations, "regulariser", [&] {
        if (penalised > 0) g.check_dimension(penalised);
        if (penalised < n) g = Sliced<AnyRegulariser>(0, penalised, options.regulariser);
    });
}

void OnlineLearner::State::check_figures(Texts& violations) const {
    const auto refuse = [&](bool wrong, const std::string& text) {
        if (wrong) violations.push_back(text);
    };
    refuse(!(options.smoothness >= 0 && options.smoothness <= kAbsurd),
           fmt::format("smoothness = {}: must be positive, or 0: not known", options.smoothness));
    refuse(options.max_steps == 0, "max_steps = 0: a round needs at least one step");
    refuse(!(options.max_seconds > 0),
           fmt::format("max_seconds = {}: must be positive", options.max_seconds));
    refuse(!(options.effort >= 0),
           fmt::format("effort = {}: must be positive, or 0: automatic", options.effort));
    refuse(options.sampler && !options.sampler->sample, "sampler: has no function");
    refuse(options.sampler && options.sampler->samples == 0, "sampler: samples must be at least 1");
    refuse(options.sampler && options.oracle != "exact", "oracle: give it or a sampler, not both");
    refuse(options.switching != 0 && !g.can_switch(),
           "switching: this regulariser has no known prox together with a switching penalty; separable ones "
           "and simplices have");
}

void OnlineLearner::State::check_texts(Texts& violations) const {
    bool noisy = true;
    collect(violations, "", [&] { noisy = samples_gradients(options); });
    if (!noisy && !options.referee)
        violations.emplace_back("referee = false: only noisy gradients can do without");
    if (!is_automatic(options.step)) collect(violations, "", [&] { parse_step(options.step); });
    collect(violations, "", [&] { Tolerance::parse(options.tolerance.text()); });

    // What is refused is replaced by what is usual, so that the rest is checked too.
    LearnerParts trial = parts(1);
    if (!collect(violations, "forecast", [&] { trial.model = ModelRule::parse(options.forecast); }))
        trial.model = {};
    if (!collect(violations, "window", [&] { measured_window(options.window.text()); })) trial.window = "1";
    const auto check_inner = [&] {
        // Spider is made, and checked, by the learner that can use it.
        if (Spec::parse(options.inner).name() != "spider") parse_inner(options.inner, 1);
    };
    if (!collect(violations, "inner", check_inner)) trial.inner = "auto";
    trial.g = Zero();
    collect(violations, "", [&] { check_learner(options.learner, std::move(trial)); });
}

void OnlineLearner::State::choose_start() {
    Scratch scratch;
    start = options.start;
    if (!start.empty()) {
        if (!std::isfinite(g.value(start, scratch)))
            throw ConfigError("start: lies outside the domain of the regulariser");
        return;
    }
    start.resize(options.dimension);
    if (losses.rows) losses.rows->start(start, options.seed);
    if (!losses.rows || g.value(start, scratch) == kInfinity) {
        g.prox(start, 1, start, scratch);
    }
    if (!std::isfinite(g.value(start, scratch)) || !all_finite(start))
        throw ConfigError("regulariser: its prox leads out of its own domain; give a start");
}

LearnerParts OnlineLearner::State::parts(Real reference_step) const {
    LearnerParts parts{.g = GuardedRegulariser(g, failure),
                       .make_batch = [this](Index capacity) { return losses.make_batch(capacity, failure); },
                       .start = start,
                       .budget = {options.max_steps, options.max_seconds}};
    parts.window = options.window.text();
    parts.hysteresis = options.hysteresis;
    parts.switching = options.switching;
    parts.step = reference_step;
    parts.smoothness = smoothness > 0 ? smoothness : 1 / reference_step;
    if (options.effort > 0) parts.effort = options.effort;
    parts.inner = options.inner;
    parts.noise.oracle = options.oracle;
    if (options.sampler) parts.noise.sampler = oracle_of(*options.sampler, failure);
    parts.noise.origin = "given";
    parts.noise.confirm = options.confirm;
    parts.noise.refereed = options.referee;
    parts.seed = options.seed;
    return parts;
}

bool OnlineLearner::State::choose_step(const RecordRef& record) {
    Real found = options.smoothness;
    const bool automatic = is_automatic(options.step);
    const bool noisy = samples_gradients(options);
    if (found == 0 && losses.rows) found = losses.rows->smoothness(record.as<RowBlock>()).value_or(0);
    if (found == 0 && (automatic || noisy)) {
        AnyBatch batch = losses.make_batch(1, failure);
        batch.push(record);
        const std::optional<Real> measured = local_smoothness(batch, GuardedRegulariser(g, failure), start);
        rethrow_failure();
        if (!measured) return false;
        found = *measured;
    }
    // Half as long under noise: c = 1 - eta L/2 is what the exit test has to make up for.
    step = !automatic ? parse_step(options.step) : found > 0 ? 1 / ((noisy ? 2 : 1) * found) : 1;
    smoothness = found > 0 ? found : 1 / step;
    return true;
}

void OnlineLearner::State::make_learner() {
    LearnerParts made = parts(step);
    made.model = ModelRule::parse(options.forecast);
    made.tolerance = Tolerance::parse(options.tolerance.text());
    if (made.model.kind == ModelRule::Kind::record) {
        made.make_forecasts = [this] { return losses.make_batch(2, failure); };
    }
    try {
        learner = proxstream::make_learner(options.learner, std::move(made));
    } catch (...) {
        rethrow_failure();  // the user's own exception, where that is behind it
        throw;
    }
    rethrow_failure();
}

RunHeader OnlineLearner::State::header() const {
    RunHeader header = header_of(learner->facts(), options.dimension);
    if (header.noise) header.noise->losses_known = losses_known;
    header.settings = texts_of(options, options.dimension);
    if (header.members.empty()) header.max_steps = options.max_steps;
    if (options.max_seconds < kInfinity) header.max_seconds = options.max_seconds;
    return header;
}

void OnlineLearner::State::open_books() {
    tally.emplace(header());
    if (!options.ledger.empty()) ledger.emplace(options.ledger, header());
    for (Round i = 0; i < refused_before; ++i) account(refused_first());
}

void OnlineLearner::State::unmake() {
    learner.reset();
    tally.reset();
    ledger.reset();
    step = smoothness = 0;
}

void OnlineLearner::State::check_gradient(const RecordRef& record) {
    if (rounds_checked >= kCheckedRounds || !options.check_gradients || losses.rows) return;
    if (samples_gradients(options) && !options.referee) return;  // the losses may be made up
    AnyBatch batch = losses.make_batch(1, failure);
    batch.push(record);
    Scratch scratch;
    const auto loss = [&](ConstView x, View gradient) {
        const Real value = batch.value_and_gradient(0, x, gradient, scratch);
        rethrow_failure();
        return value;
    };
    probe_gradient(loss, learner ? learner->decide() : ConstView(start), rounds_checked);
}

void OnlineLearner::State::account(const RoundReport& report) {
    RowExtras extras;
    if (report.status != RoundStatus::refused) extras.bank = learner->bank();
    if (ledger) ledger->write(report, extras);
    tally->add(report, extras);
}

void OnlineLearner::State::observe(const RecordRef& record, bool loss_known) {
    if (finished) throw ConfigError("observe: the run is finished; make another learner");
    const Busy guard(busy);
    if (learner && loss_known != losses_known)
        throw ConfigError("observe: either every round of a run comes with its loss, or none does");
    losses_known = loss_known;
    check_gradient(record);
    if (learner) {
        observe_with_learner(record);
    } else {
        observe_first(record);
    }
    if (last.status == RoundStatus::refused) return;
    forecast = RecordRef();
    ++rounds_checked;
}

/// A first loss that is refused, or throws, fixes nothing: the next one is the first.
void OnlineLearner::State::observe_first(const RecordRef& record) {
    try {
        if (choose_step(record)) {
            make_learner();
            observe_with_learner(record);
            if (last.status != RoundStatus::refused) return;
        }
    } catch (...) {
        unmake();
        throw;
    }
    unmake();
    last = refused_first();
    ++refused_before;
}

void OnlineLearner::State::observe_with_learner(const RecordRef& record) {
    if (forecast) learner->expect(forecast.ref());
    const RoundReport report = learner->observe(record);
    const bool refused = report.status == RoundStatus::refused;
    try {
        rethrow_failure();
        if (!tally && !refused) open_books();
        if (tally) account(report);
    } catch (...) {
        if (!refused) learner->take_back();
        throw;
    }
    last = report;
}

Certificate OnlineLearner::State::certificate(RunEnding ending, RunFooter* footer) {
    if (!learner) {
        // No round yet: what a learner of these options would say, with a step that nothing depends on.
        State empty(options, losses);
        empty.step = is_automatic(options.step) ? 1 : parse_step(options.step);
        empty.make_learner();
        empty.tally.emplace(empty.header());
        return empty.certificate(ending);
    }
    const Closing closing = learner->close();
    rethrow_failure();
    const RunFooter made = tally->footer(closing, ending, learner->seconds());
    if (footer != nullptr) *footer = made;
    return tally->certificate(made);
}

void OnlineLearner::State::exchange(Checkpoint& checkpoint) {
    Texts violations;
    for (const auto& [name, text] : texts_of(options, options.dimension)) {
        std::string saved = text;
        checkpoint.exchange(name, saved);
        if (saved != text)
            violations.push_back(
                fmt::format("{}: was {} in the run that was saved, and is {} here", name, saved, text));
    }
    if (!violations.empty()) throw ConfigError(violations);
    checkpoint.exchange("reference step", step);
    checkpoint.exchange("claimed smoothness", smoothness);
    checkpoint.exchange("refused before", refused_before);
    checkpoint.exchange("checked", rounds_checked);
    bool forecasts = static_cast<bool>(forecast);
    checkpoint.exchange("forecast", forecasts);
    if (checkpoint.reading() && forecasts) forecast = losses.make_batch(1, failure).blank_record();
    if (forecasts) checkpoint.part("forecast", forecast);
    checkpoint.exchange("finished", finished);
    if (step == 0) return;
    checkpoint.require(step > 0 && step <= kAbsurd && smoothness > 0 && smoothness <= kAbsurd,
                       "positive steps");
    if (checkpoint.reading()) make_learner();
    checkpoint.part("learner", *learner);
    if (checkpoint.reading()) tally.emplace(header());
    checkpoint.part("tally", *tally);
    bool has_ledger = ledger.has_value() && !finished;
    checkpoint.exchange("ledger", has_ledger);
    if (!has_ledger) {
        if (checkpoint.reading() && !options.ledger.empty() && !finished)
            throw ConfigError(
                "ledger: the run that was saved had none, so its first rounds would be missing");
        return;
    }
    LedgerMark mark = ledger ? ledger->mark() : LedgerMark{};
    checkpoint.part("ledger mark", mark);
    if (checkpoint.reading() && !options.ledger.empty()) ledger.emplace(options.ledger, header(), mark);
}

OnlineLearner::OnlineLearner(OnlineOptions options)
    : OnlineLearner(std::move(options),
                    LossSource{.dimension = 0, .make_batch = {}, .rows = nullptr, .closures = true}) {}
OnlineLearner::OnlineLearner(OnlineOptions options, LossSource losses)
    : state_(std::make_unique<State>(std::move(options), std::move(losses))) {}
OnlineLearner::~OnlineLearner() = default;
OnlineLearner::OnlineLearner(OnlineLearner&&) noexcept = default;
OnlineLearner& OnlineLearner::operator=(OnlineLearner&&) noexcept = default;

ConstView OnlineLearner::decision() const {
    return state_->learner ? state_->learner->decide() : ConstView(state_->start);
}

const RoundReport& OnlineLearner::observe_record(const RecordRef& record) {
    state_->observe(record);
    return state_->last;
}

const RoundReport& OnlineLearner::observe() {
    const OnlineOptions& options = state_->options;
    if (!options.sampler || options.referee || !state_->losses.closures)
        throw ConfigError(
            "observe: a round without its loss needs a sampler, referee = false and losses that are "
            "functions");
    if (options.smoothness == 0 && is_automatic(options.step))
        throw ConfigError("smoothness: where no loss is known, it or the step has to be given");
    const FunctionFamily::Record nothing = [](ConstView /*x*/, View gradient) {
        fill(gradient, 0);
        return Real{0};
    };
    state_->observe(nothing, false);
    return state_->last;
}

void OnlineLearner::expect_record(const RecordRef& record) {
    State& state = *state_;
    if (ModelRule::parse(state.options.forecast).kind != ModelRule::Kind::record)
        throw ConfigError("expect: forecasts are used with the option forecast = \"forecast\" only; it is " +
                          state.options.forecast);
    AnyBatch trial = state.losses.make_batch(1, state.failure);
    trial.push(record);  // refused here if it is of another type or size
    state.rethrow_failure();
    state.forecast = record;
}

const RoundReport& OnlineLearner::report() const {
    return state_->last;
}

Round OnlineLearner::rounds() const {
    return state_->tally ? state_->tally->totals().rounds : 0;
}

Certificate OnlineLearner::certificate() const {
    return state_->certificate(RunEnding::finished);
}

Certificate OnlineLearner::finish() {
    State& state = *state_;
    RunFooter footer;
    Certificate certificate = state.certificate(RunEnding::finished, &footer);
    if (state.ledger && !state.finished) state.ledger->finish(footer);
    state.finished = true;
    return certificate;
}

Real OnlineLearner::predict(ConstView features) const {
    RowBlock rows;
    rows.add_dense(features, 0);
    return predict(rows).front();
}

std::vector<Real> OnlineLearner::predict(const RowBlock& rows) const {
    const RowFamily* family = state_->losses.rows.get();
    if (family == nullptr)
        throw ConfigError("predict: only models of data rows predict; these losses are others");
    Scratch scratch;
    AnyBatch trial = family->make_batch(1);
    trial.push(rows);  // refused here if the rows have another length
    std::vector<Real> found;
    for (Index row = 0; row < rows.rows(); ++row) {
        found.push_back(family->predict(rows, row, decision(), scratch));
    }
    return found;
}

std::string OnlineLearner::save() const {
    if (state_->losses.closures && state_->learner) {
        throw ConfigError(
            "save: the window holds functions, which cannot be saved; give the losses as records of a family "
            "whose Record has exchange(Checkpoint&)");
    }
    if (state_->ledger && !state_->finished) state_->ledger->flush();
    Checkpoint checkpoint;
    try {
        state_->exchange(checkpoint);
    } catch (const Error& error) {
        throw ConfigError(
            fmt::format("save: {}; records that are to be saved need exchange(Checkpoint&)", error.what()));
    }
    return checkpoint.seal();
}

void OnlineLearner::restore(std::string_view bytes) {
    auto read = std::make_unique<State>(state_->options, state_->losses);
    Checkpoint checkpoint(bytes, "saved learner");
    read->exchange(checkpoint);
    checkpoint.finish();
    state_ = std::move(read);
}

Real OnlineLearner::step() const {
    return state_->step;
}

std::ostream& operator<<(std::ostream& out, const Certificate& certificate) {
    return out << to_text(certificate);
}

}  // namespace proxstream
