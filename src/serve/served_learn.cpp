/// A learner of rows behind the service.
#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "core/violations.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"
#include "run/setting_list.hpp"
#include "run/settings_reader.hpp"
#include "serve/row_json.hpp"
#include "serve/served_run.hpp"
#include "serve/served_store.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

using nlohmann::json;

json finite(Real value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

/// Settings a service cannot use, all at once.
void check_served(const LearnSettings& settings) {
    Violations violations;
    violations.refuse(settings.store.empty(), "store: a served learner is kept in a file; name it");
    violations.refuse(!settings.data.empty(),
                      "data: posts are the data; start from a model with start = FILE");
    violations.refuse(settings.features.empty() && settings.dimension == 0,
                      "features: name them, or give their number as dimension");
    violations.refuse(!settings.forecast.empty(),
                      "forecast: a served learner reads no file of forecasts; leave it out");
    violations.refuse(!settings.predictions.empty(),
                      "predictions: the answers to posts and the store have them; leave it out");
    violations.refuse(!settings.save.empty() || !settings.certificate_json.empty(),
                      "save, certificate: the store has both; leave them out");
    violations.refuse(!settings.metrics.empty() || !settings.report.empty(),
                      "metrics, report: a served learner writes no files but its store; leave them out");
    violations.refuse(settings.rounds > 0, "rounds: a served learner has no last round");
    violations.refuse(settings.on_bad_row == "skip",
                      "on-bad-row: a post with a bad row is always refused; leave it out");
    violations.collect("", [&] { validate(settings); });
    violations.conclude();
}

FedReader::Shape shape_of(const LearnSettings& settings) {
    FedReader::Shape shape;
    shape.names = settings.features;
    // Columns whose past values alone are features come after the features, as in a file.
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

class ServedLearn final : public ServedRun, private TurnRun {
  public:
    explicit ServedLearn(LearnSettings settings, std::string version)
        : TurnRun({std::move(version), "proxstream serve"}),
          settings_(std::move(settings)),
          rows_(shape_of(settings_), target_rule_of(settings_), settings_.zero_based, settings_.batch),
          driver_(*this) {}

    /// Reads the state, and replays the turns after it.
    void open();

    Journal& journal() override { return *driver_.journal(); }
    const Journal& journal() const override { return *driver_.journal(); }
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
    void save() override { driver_.save(); }
    void close() override { driver_.close(); }

  private:
    // A turn is a post: records that are surveyed at first, and a round of the run later.
    RunIdentity identity() const override { return learn_identity(settings_, origin_); }
    JournalOptions journal_options() const override {
        return proxstream::journal_options(settings_, settings_.max_seconds < kInfinity, origin_.version);
    }
    RunOutcome& outcome() override { return run_ ? run_->outcome() : outcome_; }
    void begin(bool /*restored*/) override;
    void open_accounts() override;
    void close_accounts(RunEnding ending) override;
    bool next() override { return true; }
    TurnResult play() override;
    TurnRecord record() const override { return record_; }
    void serialise(StateArchive& archive) override;
    void certify(RunEnding /*ending*/) override {}
    RunResult result() const override;
    void finish() override {}

    void make_run(ConstView start = {});
    void begin_run();
    bool play_all();
    bool played() const { return run_ && run_->totals().rounds > 0; }
    std::string waiting_answer() const;
    std::string begin_from(const ServedLearn& parent);

    LearnSettings settings_;
    RowJson rows_;
    RunDriver driver_;
    RunOutcome outcome_;                 // before there is a run
    std::vector<std::string> surveyed_;  // records that step and noise were estimated from, or will be
    std::unique_ptr<LearnRun> run_;      // made when they are there
    FedReader* feed_ = nullptr;          // the run's
    std::string_view posted_;            // the record that is played
    TurnRecord record_;
    std::string status_;
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

/// The run that was made writes to the journal of this one.
void ServedLearn::begin_run() {
    run_->attach(*journal_);
    run_->open_accounts();
    run_->begin(false);
}

void ServedLearn::open_accounts() {
    if (run_) begin_run();
}

void ServedLearn::begin(bool /*restored*/) {
    if (run_ || records_surveyed(settings_) > 0) return;
    make_run();
    begin_run();
}

void ServedLearn::close_accounts(RunEnding ending) {
    if (run_) run_->close_accounts(ending);
}

void ServedLearn::serialise(StateArchive& archive) {
    std::uint64_t count = surveyed_.size();
    archive.field("records surveyed", count, settings_.survey);
    surveyed_.resize(count);
    for (std::string& record : surveyed_) archive.field("record", record);
    bool begun = run_ != nullptr;
    archive.fields(Field{"begun", begun}, Field{"rows", rows_});
    if (!begun) return;
    if (!run_) make_run();
    archive.section("learner", *run_);
}

void ServedLearn::open() {
    driver_.begin(open_store(settings_, LearnSettings(), identity(), journal_options()));
    while (journal_->replaying()) {
        const std::string record = journal_->stored_input(journal_->played() + 1);
        play(record, {});
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

/// Plays every record that is there; returns whether there was one.
bool ServedLearn::play_all() {
    bool played = false;
    while (run_->next()) {
        run_->play();
        played = true;
        // A refused round ends a run that reads a file. Here the answer reports it, and the run continues.
        run_->outcome().problems.clear();
        run_->outcome().ending = RunEnding::finished;
    }
    return played;
}

PlayedTurn ServedLearn::play(std::string_view record, std::string_view key) {
    posted_ = record;
    const Turn turn = journal_->played() + 1;
    journal_->input(record, key);
    driver_.turn();
    return {.turn = turn,
            .status = status_,
            .answer = record_.decision,
            .figures = record_.figures,
            .alarms = {}};
}

TurnResult ServedLearn::play() {
    RowBlock rows(run_ && feed_->sparse());
    rows_.read(posted_, rows);
    if (run_) {
        feed_->feed(rows);
    } else {
        surveyed_.emplace_back(posted_);
        if (surveyed_.size() >= records_surveyed(settings_)) {
            make_run();
            begin_run();
        }
    }
    if (!run_ || !play_all()) {
        status_ = "waiting";
        record_ = {.decision = waiting_answer()};
        return {};
    }
    status_ = name(run_->last().status);
    record_ = run_->record();
    json answer = json::parse(record_.decision);
    answer["status"] = status_;
    const std::vector<std::string>& channels = learn_channels();
    for (Index i = 0; i < channels.size(); ++i) {
        // A replayed turn has to give the same answer, which seconds never do.
        if (channels[i] != "seconds") answer[channels[i]] = finite(record_.figures[i]);
    }
    record_.decision = answer.dump();
    return {};
}

std::string ServedLearn::decision() const {
    if (!run_) return waiting_answer();
    const ConstView x = run_->learner().decide();
    return json{{"x", std::vector<Real>(x.begin(), x.end())},
                {"features", run_->problem().stream().reader().feature_names()},
                {"intercept", run_->problem().family().penalised() < run_->problem().family().dimension()},
                {"round", run_->totals().rounds}}
        .dump();
}

std::string ServedLearn::predict(std::string_view body) const {
    RowBlock rows;
    rows_.read_features(body, rows);
    if (!run_) return waiting_answer();
    const LearnRun::PredictedRows found = run_->predict_aside([&] { feed_->feed(rows); });
    json answer{{"predictions", json::array()}};
    for (Index row = 0; row < found.values.size(); ++row) {
        answer["predictions"].push_back(finite(found.values[row]));
        if (found.probabilities.empty()) continue;
        json chances = json::array();
        for (const Real chance : found.probabilities_of(row)) chances.push_back(finite(chance));
        answer["probabilities"].push_back(std::move(chances));
    }
    return answer.dump();
}

std::string ServedLearn::certificate(bool& sound) const {
    sound = true;
    if (!played()) return waiting_answer();
    const Certificate certificate = run_->certificate(RunEnding::interrupted);
    sound = certificate.sound();
    return to_json(certificate);
}

RunResult ServedLearn::result() const {
    return {.certificate = played() ? to_json(run_->certificate(RunEnding::interrupted)) : std::string()};
}

/// Begins at the parent's point and with its window, if these settings can use it; returns which it was.
std::string ServedLearn::begin_from(const ServedLearn& parent) {
    surveyed_ = parent.surveyed_;
    rows_ = parent.rows_;
    if (!parent.run_) return "before its first round, with the records gathered so far";
    make_run();
    return begin_fork(*run_, *parent.run_, "at its point, with an empty window", [&] {
        make_run(parent.run_->learner().decide());
        run_->follow_stream(*parent.run_);
    });
}

std::unique_ptr<ServedRun> ServedLearn::fork(const std::string& store, const SettingList& changes,
                                             std::string_view events) const {
    if (!events.empty() && events != "[]")
        throw ConfigError("events: only networks have events; leave them out");
    Violations violations;
    LearnSettings settings = forked_settings(settings_, changes, store,
                                             "the learner and its oracle, and reg; not this", violations);
    violations.collect("", [&] { settings = with_defaults(settings); });
    if (violations.empty()) violations.collect("", [&] { check_served(settings); });
    violations.conclude();
    auto forked = std::make_unique<ServedLearn>(settings, origin_.version);
    const std::string begun = forked->begin_from(*this);
    forked->driver_.begin_at_state(Journal::create(
        store, child_identity(forked->identity(), journal(), begun), forked->journal_options()));
    return forked;
}

void ServedLearn::reload(const SettingList& settings) {
    LearnSettings next = settings_;
    take_settings(settings, next);
    reload_settings(settings_, with_defaults(next), journal_->path());
}

}  // namespace

std::unique_ptr<ServedRun> open_served_learn(const SettingList& list, const std::string& version) {
    LearnSettings settings;
    take_settings(list, settings);
    settings = with_defaults(settings);
    check_served(settings);
    auto run = std::make_unique<ServedLearn>(settings, version);
    run->open();
    return run;
}

}  // namespace proxstream
