#include "proxstream/online_learner.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/gradient_check.hpp"

#include "front/online_state.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Texts = std::vector<std::string>;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

constexpr Round kCheckedRounds = 3;  // whose gradients are compared with differences of values

/// The options as texts, with their names, for header and messages.
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

/// The report of a refused first round.
RoundReport refused_first() {
    RoundReport report;
    report.round = 1;
    report.status = RoundStatus::refused;
    report.cost.record_gradients = 1;
    return report;
}

/// Sets a flag during a round.
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

RunHeader OnlineLearner::State::header() const {
    RunHeader header = learner->facts();
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
    if (samples_gradients(options) && !options.referee) return;  // the loss values may be arbitrary
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
    if (report.status != RoundStatus::refused) extras.ensemble = learner->ensemble();
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

/// After a first loss that is refused or throws, the next loss is the first one.
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
        if (!refused) learner->rollback();
        throw;
    }
    last = report;
}

Certificate OnlineLearner::State::certificate(RunEnding ending, RunFooter* footer) {
    if (!learner) {
        // Before the first round: the certificate of an unused learner, with an arbitrary step.
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

void OnlineLearner::State::serialise(StateArchive& archive) {
    Texts violations;
    for (const auto& [name, text] : texts_of(options, options.dimension)) {
        std::string saved = text;
        archive.field(name, saved);
        if (saved != text)
            violations.push_back(
                fmt::format("{}: was {} in the run that was saved, and is {} here", name, saved, text));
    }
    if (!violations.empty()) throw ConfigError(violations);
    archive.fields(Field{"reference step", step}, Field{"claimed smoothness", smoothness},
                   Field{"refused before", refused_before}, Field{"checked", rounds_checked});
    bool forecasts = static_cast<bool>(forecast);
    archive.field("forecast", forecasts);
    if (archive.reading() && forecasts) forecast = losses.make_batch(1, failure).blank_record();
    if (forecasts) archive.section("forecast", forecast);
    archive.field("finished", finished);
    if (step == 0) return;
    archive.require(step > 0 && step <= kAbsurd && smoothness > 0 && smoothness <= kAbsurd, "positive steps");
    if (archive.reading()) make_learner();
    archive.section("learner", *learner);
    if (archive.reading()) tally.emplace(header());
    archive.section("tally", *tally);
    bool has_ledger = ledger.has_value() && !finished;
    archive.field("ledger", has_ledger);
    if (!has_ledger) {
        if (archive.reading() && !options.ledger.empty() && !finished)
            throw ConfigError(
                "ledger: the run that was saved had none, so its first rounds would be missing");
        return;
    }
    LedgerMark mark = ledger ? ledger->mark() : LedgerMark{};
    archive.section("ledger mark", mark);
    if (archive.reading() && !options.ledger.empty()) ledger.emplace(options.ledger, header(), mark);
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
    if (ForecastRule::parse(state.options.forecast).kind != ForecastRule::Kind::record)
        throw ConfigError("expect: forecasts are used with the option forecast = \"forecast\" only; it is " +
                          state.options.forecast);
    AnyBatch trial = state.losses.make_batch(1, state.failure);
    trial.push(record);  // throws for another type or size
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
    trial.push(rows);  // throws for rows of another length
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
            "whose Record has serialise(StateArchive&)");
    }
    if (state_->ledger && !state_->finished) state_->ledger->flush();
    StateArchive archive;
    try {
        state_->serialise(archive);
    } catch (const Error& error) {
        throw ConfigError(fmt::format("save: {}; records that are to be saved need serialise(StateArchive&)",
                                      error.what()));
    }
    return archive.seal();
}

void OnlineLearner::restore(std::string_view bytes) {
    // The restored learner cuts the same ledger file; nothing of this one may be written to it afterwards.
    if (state_->ledger && !state_->finished) state_->ledger->flush();
    auto read = std::make_unique<State>(state_->options, state_->losses);
    StateArchive archive(bytes, "saved learner");
    read->serialise(archive);
    archive.finish();
    state_ = std::move(read);
}

Real OnlineLearner::step() const {
    return state_->step;
}

std::ostream& operator<<(std::ostream& out, const Certificate& certificate) {
    return out << to_text(certificate);
}

}  // namespace proxstream
