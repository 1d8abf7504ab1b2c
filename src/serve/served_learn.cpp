#include "serve/served_learn.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"
#include "run/setting_list.hpp"
#include "run/settings_reader.hpp"
#include "serve/row_json.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

using nlohmann::json;

json finite(Real value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

/// Settings a service cannot use, all at once.
void check_served(const LearnSettings& settings) {
    std::vector<std::string> violations;
    const auto refuse = [&](bool asked, const std::string& what) {
        if (asked) violations.push_back(what);
    };
    refuse(settings.store.empty(), "store: a served learner is kept in a file; name it");
    refuse(!settings.data.empty(), "data: what is posted are the data; begin from a model with start = FILE");
    refuse(settings.features.empty() && settings.dimension == 0,
           "features: name them, or give their number as dimension");
    refuse(!settings.forecast.empty(), "forecast: is read from a file in step with the data; leave it out");
    refuse(!settings.predictions.empty(),
           "predictions: are in the answers to posts and in the store; leave it out");
    refuse(!settings.save.empty() || !settings.certificate_json.empty(),
           "save, certificate: the store has both; leave them out");
    refuse(settings.test_only, "test-only: a served learner learns");
    refuse(settings.rounds > 0, "rounds: a served learner has no last round");
    refuse(settings.on_bad_row == "skip",
           "on-bad-row: bad rows are refused to whoever posts them; leave it out");
    collect(violations, "", [&] { validate(settings); });
    if (!violations.empty()) throw ConfigError(violations);
}

FedReader::Shape shape_of(const LearnSettings& settings) {
    FedReader::Shape shape;
    shape.names = settings.features;
    // Columns that are read for their past alone come behind the features, as in a file.
    const std::string label = settings.label.empty() ? "y" : settings.label;
    for (const std::string& column : settings.lag_columns) {
        const bool known = std::find(shape.names.begin(), shape.names.end(), column) != shape.names.end();
        if (!shape.names.empty() && !known && column != label) shape.names.push_back(column);
    }
    shape.features = shape.names.empty() ? settings.dimension : shape.names.size();
    shape.label = label;
    shape.sparse = settings.format == "libsvm";
    return shape;
}

class ServedLearn final : public ServedRun {
  public:
    explicit ServedLearn(LearnSettings settings)
        : settings_(std::move(settings)),
          rows_(shape_of(settings_), target_rule_of(settings_), settings_.zero_based, settings_.batch) {}

    /// Reads the state, plays what came after it again.
    void open(Journal journal);
    /// Begins at the parent's point and with its window, if these settings can use it; says what it came to.
    std::string begin_from(const ServedLearn& parent);
    /// Saves where it begins: from now on it is a run of its own.
    void begin(Journal journal);

    Journal& journal() override { return *journal_; }
    const Journal& journal() const override { return *journal_; }
    void check(std::string_view record) const override;
    PlayedTurn play(std::string_view record, std::string_view key) override;
    std::string decision() const override;
    std::string predict(std::string_view rows) const override;
    std::string certificate(bool& sound) const override;
    std::string record_schema() const override { return rows_.schema(); }
    std::string picture() const override { return "{}"; }
    std::unique_ptr<ServedRun> fork(const std::string& store, const SettingList& changes,
                                    std::string_view events) const override;
    void reload(const SettingList& settings) override;
    void save() override;
    void close() override;

  private:
    void make_run(ConstView start = {});
    void attach();
    void serialise(StateArchive& archive);
    bool play_all();
    std::string waiting_answer() const;
    Journal::Serialise state() {
        return [this](StateArchive& archive) { serialise(archive); };
    }

    LearnSettings settings_;
    std::optional<Journal> journal_;
    RowJson rows_;
    std::vector<std::string> surveyed_;  // records that step and noise were estimated from, or will be
    std::unique_ptr<LearnRun> run_;      // made when they are there
    FedReader* feed_ = nullptr;          // the run's
    LearnOutcome outcome_;
};

void ServedLearn::make_run(ConstView start) {
    auto reader = std::make_unique<FedReader>("posts", shape_of(settings_));
    feed_ = reader.get();
    RowBlock rows(feed_->sparse());
    for (const std::string& record : surveyed_) {
        rows_.read(record, rows);
        feed_->feed(rows);
    }
    auto wrapped = wrap_reader(settings_, settings_.batch, std::move(reader));
    run_ = std::make_unique<LearnRun>(settings_, std::move(wrapped), start);
}

void ServedLearn::attach() {
    run_->record_in(*journal_);
    outcome_.totals = run_->resumed();
}

void ServedLearn::serialise(StateArchive& archive) {
    std::uint64_t count = surveyed_.size();
    archive.field("records surveyed", count, settings_.survey);
    surveyed_.resize(count);
    for (std::string& record : surveyed_) archive.field("record", record);
    bool begun = run_ != nullptr;
    archive.field("begun", begun);
    archive.section("rows", rows_);
    if (!begun) return;
    if (!run_) make_run();
    archive.section("learner", *run_);
}

void ServedLearn::open(Journal journal) {
    journal_.emplace(std::move(journal));
    journal_->restore(state());
    if (run_) attach();
    while (journal_->replaying()) {
        const std::string record = journal_->stored_input(journal_->played() + 1);
        play(record, {});
    }
    if (!run_ && records_surveyed(settings_) == 0) {
        make_run();
        attach();
    }
}

void ServedLearn::check(std::string_view record) const {
    RowJson rows = rows_;
    RowBlock read;
    rows.read(record, read);
}

std::string ServedLearn::waiting_answer() const {
    return json{{"waiting", {{"records", surveyed_.size()}, {"needed", records_surveyed(settings_)}}}}.dump();
}

/// Every record that is there; false: there was none.
bool ServedLearn::play_all() {
    bool played = false;
    for (;;) {
        const Round refused = outcome_.totals.refused;
        if (!run_->play_next(outcome_) && outcome_.totals.refused == refused) return played;
        played = true;
        // A refused round would end the run of a file; here it is the poster's to know.
        outcome_.problems.clear();
        outcome_.ending = RunEnding::finished;
    }
}

PlayedTurn ServedLearn::play(std::string_view record, std::string_view key) {
    PlayedTurn turn;
    turn.turn = journal_->played() + 1;
    const bool surveying = run_ == nullptr;
    if (surveying) {
        RowBlock rows;
        rows_.read(record, rows);
        surveyed_.emplace_back(record);
    }
    const bool ready = surveyed_.size() >= records_surveyed(settings_);
    if (surveying && ready) {
        make_run();
        attach();
    } else if (!surveying) {
        RowBlock rows(feed_->sparse());
        rows_.read(record, rows);
        feed_->feed(rows);
    }
    journal_->input(record, key);
    turn.status = "waiting";
    turn.answer = waiting_answer();
    if (run_) {
        if (play_all()) {
            const RoundReport& last = run_->last();
            turn.status = name(last.status);
            turn.figures = run_->figures();
            json answer = json::parse(run_->decision());
            answer["status"] = turn.status;
            const std::vector<std::string>& channels = learn_channels();
            for (Index i = 0; i + 1 < channels.size(); ++i) answer[channels[i]] = finite(turn.figures[i]);
            turn.answer = answer.dump();
        }
    }
    journal_->decision(turn.answer);
    journal_->figures(turn.figures);
    journal_->end_turn(state());
    return turn;
}

std::string ServedLearn::decision() const {
    if (!run_) return waiting_answer();
    const ConstView x = run_->learner().decide();
    return json{{"x", std::vector<Real>(x.begin(), x.end())},
                {"features", run_->problem().stream().reader().feature_names()},
                {"intercept", run_->problem().family().penalised() < run_->problem().family().dimension()},
                {"round", outcome_.totals.rounds}}
        .dump();
}

std::string ServedLearn::predict(std::string_view body) const {
    RowBlock rows;
    rows_.read_features(body, rows);
    if (!run_) return waiting_answer();
    json predictions = json::array();
    for (const Real value : run_->predict_aside([&] { feed_->feed(rows); }))
        predictions.push_back(finite(value));
    return json{{"predictions", predictions}}.dump();
}

std::string ServedLearn::certificate(bool& sound) const {
    sound = true;
    if (!run_ || outcome_.totals.rounds == 0) return waiting_answer();
    const Certificate certificate = run_->certificate(RunEnding::interrupted);
    sound = certificate.sound();
    return to_json(certificate);
}

std::string ServedLearn::begin_from(const ServedLearn& parent) {
    surveyed_ = parent.surveyed_;
    rows_ = parent.rows_;
    if (!parent.run_) return "before its first round, with the records that were there";
    make_run();
    try {
        run_->go_on_from(*parent.run_);
        return "with all of its state";
    } catch (const Error&) {
        // The learner cannot use that state: its window is of another length, say.
        make_run(parent.run_->learner().decide());
        run_->follow_stream(*parent.run_);
        return "at its point, with an empty window";
    }
}

void ServedLearn::begin(Journal journal) {
    journal_.emplace(std::move(journal));
    if (run_) attach();
    save();
}

std::unique_ptr<ServedRun> ServedLearn::fork(const std::string& store, const SettingList& changes,
                                             std::string_view events) const {
    if (!events.empty() && events != "[]")
        throw ConfigError("events: happen to networks; a learner of rows has none");
    LearnSettings settings = settings_;
    std::vector<std::string> violations;
    for (const auto& [name, value] : changes) {
        const auto rows = LearnSettings::options();
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&, wanted = &name](const auto& each) { return each.name == *wanted; });
        if (row != rows.end() && !may_fork(*row))
            violations.push_back(name + ": a fork may change the learner and its oracle, and reg; not this");
    }
    collect(violations, "", [&] {
        take_settings(changes, settings);
        settings = with_defaults(settings);
    });
    settings.store = store;
    if (violations.empty()) collect(violations, "", [&] { check_served(settings); });
    if (!violations.empty()) throw ConfigError(violations);
    RunIdentity identity = learn_identity(settings, journal_->identity().command);
    identity.title = journal_->identity().title;
    auto forked = std::make_unique<ServedLearn>(settings);
    identity.parent = {.id = journal_->identity().id,
                       .store = journal_->path(),
                       .turn = journal_->played(),
                       .begun = forked->begin_from(*this)};
    const JournalOptions options =
        journal_options(settings, settings.max_seconds < kInfinity, journal_->identity().version);
    forked->begin(Journal::create(store, std::move(identity), options));
    return forked;
}

void ServedLearn::reload(const SettingList& settings) {
    LearnSettings next = settings_;
    take_settings(settings, next);
    next = with_defaults(next);
    require_same_results(settings_, next, journal_->path());
    settings_.threads = next.threads;
}

void ServedLearn::save() {
    const Journal::Serialise serialise = state();
    journal_->commit(&serialise);
}

void ServedLearn::close() {
    bool sound = true;
    const std::string found = certificate(sound);
    journal_->finish(state(), run_ && outcome_.totals.rounds > 0 ? found : "", "", false);
}

}  // namespace

std::unique_ptr<ServedRun> open_served_learn(const SettingList& list, const std::string& version) {
    LearnSettings settings;
    take_settings(list, settings);
    settings = with_defaults(settings);
    check_served(settings);
    const JournalOptions options = journal_options(settings, settings.max_seconds < kInfinity, version);
    std::error_code none;
    const bool there =
        std::filesystem::exists(settings.store, none) && std::filesystem::file_size(settings.store, none) > 0;
    if (there) {
        LearnSettings before;
        take_settings(RunStore(settings.store).identity().settings, before);
        require_same_results(before, settings, settings.store);
    }
    auto run = std::make_unique<ServedLearn>(settings);
    run->open(there ? Journal::open(settings.store, options)
                    : Journal::create(settings.store, learn_identity(settings, "proxstream serve"), options));
    return run;
}

}  // namespace proxstream
