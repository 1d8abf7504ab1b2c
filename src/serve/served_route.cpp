#include "serve/served_route.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/json_writer.hpp"
#include "route/route_run.hpp"
#include "run/setting_list.hpp"
#include "store/run_store.hpp"
#include "traffic/demand_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// What settings are before anybody says anything: who compares pays for it.
RouteSettings usual_settings() {
    RouteSettings settings;
    settings.compare = false;
    settings.clairvoyant = false;
    settings.on_bad_period = "hold";
    return settings;
}

/// Settings a service cannot use, all at once.
void check_served(const RouteSettings& settings) {
    std::vector<std::string> violations;
    const auto refuse = [&](bool asked, const char* what) {
        if (asked) violations.emplace_back(what);
    };
    refuse(settings.store.empty(), "store: a served network is kept in a file; name it");
    refuse(settings.demand == "-",
           "demand: is posted; a file here says which pairs there are, none: all pairs of nodes");
    refuse(settings.on_bad_period != "hold",
           "on-bad-period: a served network holds its splits; leave it out");
    refuse(settings.periods > 0, "periods: a served network has no last period");
    refuse(settings.peak > 0, "peak: is found by reading all demand beforehand; leave it out");
    refuse(settings.stale_seconds > 0,
           "stale-seconds: silence is seen in the service's metrics; leave it out");
    refuse(!settings.out.empty() || !settings.decisions.empty() || !settings.report.empty() ||
               !settings.ledger.empty(),
           "out, decisions, report, ledger: the store has all of it; 'proxstream export' and 'proxstream "
           "report' "
           "write it to files");
    collect(violations, "", [&] { validate(settings); });
    if (!violations.empty()) throw ConfigError(violations);
}

StoredAlarm stored(const Alarm& alarm, bool raised) {
    return {.id = alarm.number,
            .raised = raised,
            .kind = std::string(name(alarm.kind)),
            .subject = alarm.subject,
            .text = alarm.text};
}

class ServedRoute final : public ServedRun {
  public:
    ServedRoute(RouteSettings settings, std::string version)
        : settings_(std::move(settings)), version_(std::move(version)) {}

    /// Reads the state, plays what came after it again.
    void open(std::optional<Journal> journal);
    /// Goes on where the parent is; says with what.
    std::string begin_from(const ServedRoute& parent);

    Journal& journal() override { return *run_->journal(); }
    const Journal& journal() const override { return *run_->journal(); }
    void check(std::string_view record) const override;
    PlayedTurn play(std::string_view record, std::string_view key) override;
    std::string decision() const override { return run_->decision(); }
    std::string predict(std::string_view rows) const override;
    std::string certificate(bool& sound) const override;
    std::string record_schema() const override;
    std::string picture() const override;
    std::unique_ptr<ServedRun> fork(const std::string& store, const SettingList& changes,
                                    std::string_view events) const override;
    void reload(const SettingList& settings) override;
    void save() override { run_->save(); }
    void close() override { run_->close(); }

  private:
    /// Before it is a run of its own: no turn of its store, which counts on with its parent's.
    void happen(const std::string& events) {
        feed_->feed(events, run_->turns() + 1);
        RouteProgress progress;
        run_->turn(progress);
    }
    void make_run(const RouteSettings& settings, std::optional<Journal> journal);
    std::string answer(const RouteProgress& progress, const std::string& status) const;

    RouteSettings settings_;
    std::string version_;
    std::unique_ptr<RouteRun> run_;
    FedDemand* feed_ = nullptr;           // of the run
    std::unique_ptr<FedDemand> checker_;  // for records nobody plays
};

void ServedRoute::make_run(const RouteSettings& settings, std::optional<Journal> journal) {
    Scenario scenario = open_fed_scenario(settings, feed_);
    DemandOptions options;
    options.pairs = scenario.stream->pairs();
    options.scale = settings.scale;
    checker_ = std::make_unique<FedDemand>(*scenario.network, std::move(options));
    run_ = std::make_unique<RouteRun>(settings, std::move(scenario), version_, "proxstream serve",
                                      std::move(journal));
}

void ServedRoute::open(std::optional<Journal> journal) {
    make_run(settings_, std::move(journal));
    while (this->journal().replaying()) {
        const std::string record = this->journal().stored_input(this->journal().played() + 1);
        play(record, {});
    }
}

void ServedRoute::check(std::string_view record) const {
    DemandPeriod period;
    checker_->feed(record, run_->turns() + 1);
    if (!checker_->announce(period))
        throw DataError({.source = "record", .line = 0, .column = 0, .field = ""}, "there is no record",
                        "{\"period\": .., \"demand\": .., \"events\": ..}");
    checker_->reveal(period);
    if (!period.demand.empty()) run_->check_reachable(period);
    // Beyond these the costs of roads that are open are no more finite numbers.
    constexpr Real kMost = 1e9;
    for (const NetworkEvent& event : period.events) {
        if (event.factor >= 1 / kMost && event.factor <= kMost) continue;
        throw DataError({.source = "record", .line = 0, .column = 0, .field = "events"},
                        fmt::format("a capacity factor of {:g}", event.factor), "one from 1e-9 to 1e9");
    }
}

PlayedTurn ServedRoute::play(std::string_view record, std::string_view key) {
    PlayedTurn turn;
    turn.turn = journal().played() + 1;
    feed_->feed(record, run_->turns() + 1);
    journal().input(record, key);
    RouteProgress progress;
    run_->turn(progress);
    // Events alone: whoever has learned anything moves on to what is best now.
    turn.status = progress.last != nullptr ? progress.last->status : "solved";
    turn.answer = answer(progress, turn.status);
    turn.figures = run_->figures();
    for (const Alarm& alarm : progress.raised) turn.alarms.push_back(stored(alarm, true));
    for (const Alarm& alarm : progress.cleared) turn.alarms.push_back(stored(alarm, false));
    return turn;
}

std::string ServedRoute::answer(const RouteProgress& progress, const std::string& status) const {
    JsonWriter to;
    to.out.open('{');
    to.put("status", status);
    if (progress.last != nullptr) {
        to.put("period", progress.last->number);
        to.put("label", progress.last->label);
    }
    const std::vector<std::string> channels = route_channels();
    for (Index i = 0; i + 1 < channels.size(); ++i) to.put(channels[i], run_->figures()[i]);
    to.out.key("decided");
    to.out.json(run_->decided());
    to.out.close('}');
    return to.out.take();
}

std::string ServedRoute::predict(std::string_view /*rows*/) const {
    throw ConfigError("predict: a network has no rows to predict; get its decision");
}

std::string ServedRoute::certificate(bool& sound) const {
    const std::vector<Certificate> epochs = run_->certificates();
    sound = proxstream::sound(epochs);
    JsonWriter to;
    to.out.open('{');
    to.put("sound", sound);
    to.put("conclusion", epochs_conclusion(epochs));
    to.out.key("epochs");
    to.out.json(epochs_json(epochs));
    to.out.close('}');
    return to.out.take();
}

std::string ServedRoute::record_schema() const {
    return R"({"type":"object","additionalProperties":false,
"description":"one period: its demand, what happened to the network before it, or both",
"anyOf":[{"required":["demand"]},{"required":["events"]}],
"properties":{
"period":{"description":"its label; none: its number","anyOf":[{"type":"string","minLength":1},{"type":"number"}]},
"demand":{"description":"by pair {\"A->B\": 1}, by origin {\"A\": {\"B\": 1}}, or a matrix; pairs left out have none",
"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"number","minimum":0},
{"type":"object","additionalProperties":{"type":"number","minimum":0}}]}},
{"type":"array","items":{"type":"array","items":{"type":"number","minimum":0}}}]},
"events":{"type":"array","items":{"type":"object","required":["link"],"additionalProperties":false,
"properties":{"link":{"anyOf":[{"type":"string"},{"type":"number"}]},
"capacity":{"description":"a factor of the capacity in the network's file","type":"number","exclusiveMinimum":0},
"close":{"const":true},"open":{"const":true},"text":{"type":"string"}}}}}})";
}

std::string ServedRoute::picture() const {
    JsonWriter to;
    to.out.open('{');
    to.put("period", run_->totals().periods);
    to.put("label", run_->label());
    to.list("utilisation", run_->links().utilisation, [&](Real value) {
        const Real permille = std::round(1000 * value);
        to.out.integer(permille > 0 ? static_cast<Index>(std::min<Real>(permille, ReportFrames::kLargest))
                                    : 0);
    });
    const std::vector<char>& closed = run_->scenario().routing->closed;
    to.out.key("closed");
    to.out.open('[');
    for (LinkIndex link = 0; link < closed.size(); ++link)
        if (closed[link] != 0) to.out.integer(link);
    to.out.close(']');
    to.out.close('}');
    return to.out.take();
}

std::string ServedRoute::begin_from(const ServedRoute& parent) {
    RouteSettings unkept = settings_;
    unkept.store.clear();  // until it is known how it begins
    make_run(unkept, std::nullopt);
    try {
        run_->go_on_from(*parent.run_);
        return "with all of its state";
    } catch (const Error&) {
        // The learner cannot use that state: its window is of another length, say.
        make_run(unkept, std::nullopt);
        run_->follow(*parent.run_);
        return "at its splits, with an empty window";
    }
}

std::unique_ptr<ServedRun> ServedRoute::fork(const std::string& store, const SettingList& changes,
                                             std::string_view events) const {
    RouteSettings settings = settings_;
    std::vector<std::string> violations;
    for (const auto& [name, value] : changes) {
        for (const auto& row : RouteSettings::options()) {
            if (row.name == name && !may_fork(row))
                violations.push_back(
                    name + ": a fork may change the learner and the alarms, and have events; not this");
        }
    }
    collect(violations, "", [&] { take_settings(changes, settings); });
    settings.store = store;
    if (violations.empty()) collect(violations, "", [&] { check_served(settings); });
    const auto list = nlohmann::json::parse(events.empty() ? "[]" : events, nullptr, false);
    std::string happened;
    if (!list.is_array()) {
        violations.emplace_back("events: must be a list, as in a record");
    } else if (!list.empty()) {
        happened = nlohmann::json{{"events", list}}.dump();
        try {
            check(happened);
        } catch (const DataError& error) {
            violations.emplace_back(error.what());
        }
    }
    if (!violations.empty()) throw ConfigError(violations);
    auto forked = std::make_unique<ServedRoute>(settings, version_);
    const std::string begun = forked->begin_from(*this);
    if (!happened.empty()) forked->happen(happened);
    RunIdentity identity =
        route_identity(settings, forked->run_->scenario(), version_, journal().identity().command);
    identity.title = journal().identity().title;
    identity.parent = {
        .id = journal().identity().id, .store = journal().path(), .turn = journal().played(), .begun = begun};
    forked->run_->record_in(
        Journal::create(store, std::move(identity), route_journal_options(settings, version_)));
    return forked;
}

void ServedRoute::reload(const SettingList& settings) {
    RouteSettings next = settings_;
    take_settings(settings, next);
    require_same_results(settings_, next, journal().path());
    settings_.threads = next.threads;
}

}  // namespace

std::unique_ptr<ServedRun> open_served_route(const SettingList& list, const std::string& version) {
    RouteSettings settings = usual_settings();
    take_settings(list, settings);
    check_served(settings);
    std::error_code none;
    const bool there =
        std::filesystem::exists(settings.store, none) && std::filesystem::file_size(settings.store, none) > 0;
    auto run = std::make_unique<ServedRoute>(settings, version);
    if (!there) {
        run->open(std::nullopt);
        return run;
    }
    RouteSettings before = usual_settings();
    take_settings(RunStore(settings.store).identity().settings, before);
    require_same_results(before, settings, settings.store);
    run->open(Journal::open(settings.store, route_journal_options(settings, version)));
    return run;
}

}  // namespace proxstream
