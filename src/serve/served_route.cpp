/// A network behind the service.
#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "core/violations.hpp"
#include "io/json_writer.hpp"
#include "route/route_run.hpp"
#include "serve/served_run.hpp"
#include "serve/served_store.hpp"
#include "traffic/demand_reader.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// As of `route`, but without rivals and lower bound, which cost time every period.
RouteSettings usual_settings() {
    RouteSettings settings;
    settings.compare = false;
    settings.clairvoyant = false;
    settings.on_bad_period = "hold";
    return settings;
}

/// Settings a service cannot use, all at once.
void check_served(const RouteSettings& settings) {
    Violations violations;
    violations.refuse(settings.store.empty(), "store: a served network is kept in a file; name it");
    violations.refuse(settings.demand == "-",
                      "demand: posts bring it; give a file only to limit the pairs of nodes");
    violations.refuse(settings.on_bad_period != "hold",
                      "on-bad-period: a period with bad demand always holds the splits; leave it out");
    violations.refuse(settings.periods > 0, "periods: a served network has no last period");
    violations.refuse(settings.peak > 0, "peak: needs all demand beforehand; leave it out");
    violations.refuse(settings.stale_seconds > 0,
                      "stale-seconds: the service's metrics show when posts stop; leave it out");
    violations.refuse(
        !settings.out.empty() || !settings.decisions.empty() || !settings.report.empty() ||
            !settings.ledger.empty(),
        "out, decisions, report, ledger: the store has all of it; 'proxstream export' and 'proxstream "
        "report' "
        "write it to files");
    violations.collect("", [&] { validate(settings); });
    violations.conclude();
}

class ServedRoute final : public ServedRun {
  public:
    ServedRoute(RouteSettings settings, const std::string& version);

    /// Reads the state, and replays the turns after it.
    void open();

    Journal& journal() override { return *driver_->journal(); }
    const Journal& journal() const override { return *driver_->journal(); }
    void check(std::string_view record) const override;
    PlayedTurn play(std::string_view record, std::string_view key) override;
    std::string decision() const override { return run_->next_decision(); }
    std::string predict(std::string_view rows) const override;
    std::string certificate(bool& sound) const override;
    std::string record_schema() const override;
    std::string picture() const override;
    std::unique_ptr<ServedRun> fork(const std::string& store, const SettingList& changes,
                                    std::string_view events) const override;
    void reload(const SettingList& settings) override;
    void save() override { driver_->save(); }
    void close() override { driver_->close(); }

  private:
    void make_run();
    std::string answer(const std::string& status, const TurnRecord& record) const;

    RouteSettings settings_;
    RunOrigin origin_;
    std::unique_ptr<RouteRun> run_;
    FedDemand* feed_ = nullptr;           // of the run
    std::unique_ptr<FedDemand> checker_;  // for records that are not played
    std::optional<RunDriver> driver_;
};

ServedRoute::ServedRoute(RouteSettings settings, const std::string& version)
    : settings_(std::move(settings)), origin_{version, "proxstream serve"} {
    make_run();
}

void ServedRoute::make_run() {
    Scenario scenario = open_fed_scenario(settings_, feed_);
    DemandOptions options;
    options.pairs = scenario.stream->pairs();
    options.scale = settings_.scale;
    checker_ = std::make_unique<FedDemand>(*scenario.network, std::move(options));
    run_ = std::make_unique<RouteRun>(settings_, std::move(scenario), origin_);
    driver_.emplace(*run_);
}

void ServedRoute::open() {
    driver_->begin(open_store(settings_, usual_settings(), run_->identity(), run_->journal_options()));
    while (journal().replaying()) {
        const std::string record = journal().stored_input(journal().played() + 1);
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
    // Beyond these factors, costs of open roads overflow.
    constexpr Real kMost = 1e9;
    for (const NetworkEvent& event : period.events) {
        if (event.factor >= 1 / kMost && event.factor <= kMost) continue;
        throw DataError({.source = "record", .line = 0, .column = 0, .field = "events"},
                        fmt::format("a capacity factor of {:g}", event.factor), "one from 1e-9 to 1e9");
    }
}

PlayedTurn ServedRoute::play(std::string_view record, std::string_view key) {
    const Turn turn = journal().played() + 1;
    feed_->feed(record, run_->turns() + 1);
    journal().input(record, key);
    driver_->turn();
    // After events alone, every method has moved to what is best on the new network.
    const PeriodRow* period = run_->progress().last;
    const std::string status = period != nullptr ? std::string(period->status) : "solved";
    TurnRecord played = run_->record();
    return {.turn = turn,
            .status = status,
            .answer = answer(status, played),
            .figures = std::move(played.figures),
            .alarms = std::move(played.alarms)};
}

std::string ServedRoute::answer(const std::string& status, const TurnRecord& record) const {
    JsonWriter to;
    to.out.open('{');
    to.put("status", status);
    if (const PeriodRow* period = run_->progress().last) {
        to.put("period", period->number);
        to.put("label", period->label);
    }
    const std::vector<std::string> channels = route_channels();
    for (Index i = 0; i + 1 < channels.size(); ++i) to.put(channels[i], record.figures[i]);
    to.out.key("decided");
    to.out.json(record.decision);
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

std::unique_ptr<ServedRun> ServedRoute::fork(const std::string& store, const SettingList& changes,
                                             std::string_view events) const {
    Violations violations;
    const RouteSettings settings = forked_settings(
        settings_, changes, store, "the learner and the alarms, and have events; not this", violations);
    if (violations.empty()) violations.collect("", [&] { check_served(settings); });
    const auto list = nlohmann::json::parse(events.empty() ? "[]" : events, nullptr, false);
    std::string happened;
    violations.refuse(!list.is_array(), "events: must be a list, as in a record");
    if (list.is_array() && !list.empty()) {
        happened = nlohmann::json{{"events", list}}.dump();
        try {
            check(happened);
        } catch (const DataError& error) {
            violations.refuse(true, error.what());
        }
    }
    violations.conclude();
    auto forked = std::make_unique<ServedRoute>(settings, origin_.version);
    const std::string begun = begin_fork(*forked->run_, *run_, "at its splits, with an empty window", [&] {
        forked->make_run();
        forked->run_->follow(*run_);
    });
    if (!happened.empty()) {
        // Not a turn of the fork's store, whose numbers continue its parent's.
        forked->feed_->feed(happened, forked->run_->turns() + 1);
        forked->driver_->turn();
    }
    forked->driver_->begin_at_state(Journal::create(
        store, child_identity(forked->run_->identity(), journal(), begun), forked->run_->journal_options()));
    return forked;
}

void ServedRoute::reload(const SettingList& settings) {
    RouteSettings next = settings_;
    take_settings(settings, next);
    reload_settings(settings_, next, journal().path());
}

}  // namespace

std::unique_ptr<ServedRun> open_served_route(const SettingList& list, const std::string& version) {
    RouteSettings settings = usual_settings();
    take_settings(list, settings);
    check_served(settings);
    auto run = std::make_unique<ServedRoute>(settings, version);
    run->open();
    return run;
}

}  // namespace proxstream
