/// A run on a network in its store: what is kept of a turn, and how a run goes on from there. State is in the
/// store; demand is read again from its beginning and has to be the same.
#include "proxstream/core/error.hpp"

#include "route/report_layout.hpp"
#include "route/route_outputs.hpp"
#include "run/setting_list.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

bool same_windows(const LearnerFacts& a, const LearnerFacts& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

StoredAlarm stored(const Alarm& alarm, bool raised) {
    return {.id = alarm.number,
            .raised = raised,
            .kind = std::string(name(alarm.kind)),
            .subject = alarm.subject,
            .text = alarm.text};
}

}  // namespace

std::vector<std::string> route_channels() {
    return {"cost",      "demand", "utilisation_max", "churn", "residual",  "bound",
            "tolerance", "regret", "regret_bound",    "steps", "gradients", "seconds"};
}

RunIdentity route_identity(const RouteSettings& settings, const Scenario& scenario,
                           const std::string& version, const std::string& command) {
    RunIdentity identity{.kind = "route", .settings = setting_list(settings), .channels = route_channels()};
    identity.version = version;
    identity.command = command;
    identity.title = scenario.title;
    identity.scenery =
        network_json(drawn_network(*scenario.network), scenario.routing->costs.file_capacities());
    return identity;
}

JournalOptions route_journal_options(const RouteSettings& settings, const std::string& version) {
    return journal_options(settings, settings.max_seconds < kInfinity || settings.stale_seconds > 0, version);
}

/// What the run was told at its beginning: a number of periods may be another one now.
SettingList RouteRun::original_settings() const {
    if (!journal_) return result_settings(settings_);
    RouteSettings original;
    take_settings(journal_->identity().settings, original);
    return result_settings(original);
}

RouteFacts RouteRun::file_facts() const {
    RouteFacts facts;
    facts.version = version_;
    facts.command = command_;
    facts.settings = original_settings();
    facts.cost = link_cost(settings_);
    facts.objective = settings_.objective;
    facts.demand_unit = scenario_.demand_unit;
    facts.cost_unit = scenario_.cost_unit;
    return facts;
}

void RouteRun::open_outputs() {
    if (!settings_.out.empty()) {
        outputs_->files.emplace(settings_.out, route_detail(settings_.detail), file_facts(),
                                *scenario_.network, *scenario_.routing);
    }
    if (!settings_.decisions.empty()) outputs_->decisions.emplace(settings_.decisions, *scenario_.network);
}

void RouteRun::open_store() {
    // A store can make the page later; a run that is fed has no end to gather for.
    if (!settings_.report.empty() || (!fed_ && !settings_.store.empty()))
        series_ = std::make_unique<Series>();
    if (!journal_ && !settings_.store.empty()) {
        journal_ = Journal::create(settings_.store, route_identity(settings_, scenario_, version_, command_),
                                   route_journal_options(settings_, version_));
    }
    if (!journal_) return open_outputs();
    watch_store();
    bool begun = false;
    journal_->restore([&](StateArchive& archive) {
        serialise(archive);
        begun = true;
    });
    if (!begun) return open_outputs();
    if (!fed_) skip_records();
}

void RouteRun::watch_store() {
    journal_->when_saving([this] {
        const RunEnding ending = over_ ? outcome_.ending : RunEnding::interrupted;
        if (lead_) epochs_->close_account(lead_->close(), ending, lead_->seconds());
    });
}

void RouteRun::record_in(Journal journal) {
    journal_ = std::move(journal);
    if (epochs_) epochs_->record_in(&*journal_);
    watch_store();
    save();
}

void RouteRun::note_record(const DemandPeriod& period, bool usable) {
    ++turns_;
    seen_.add(std::string_view(period.label));
    for (const NetworkEvent& event : period.events) {
        seen_.add(static_cast<std::uint64_t>(event.kind));
        seen_.add(std::uint64_t{event.link});
        seen_.add(ConstView(&event.factor, 1));
    }
    seen_.add(static_cast<std::uint64_t>(usable));
    if (usable) seen_.add(ConstView(period.demand));
}

/// What comes in is noted whether it can be used or not.
void RouteRun::reveal(DemandPeriod& period) {
    try {
        scenario_.stream->reveal(period);
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError&) {
        note_record(period, false);
        throw;
    }
    note_record(period, true);
}

void RouteRun::skip_records() {
    const Turn count = std::exchange(turns_, 0);
    const std::uint64_t checksum = std::exchange(seen_, Checksum{}).value();
    const auto refuse = [&](const std::string& problem) {
        throw DataError({.source = scenario_.stream->source(), .line = 0, .column = 0, .field = ""}, problem,
                        fmt::format("the {} records that the run of {} has seen", count, journal_->path()));
    };
    DemandPeriod period;
    while (turns_ < count) {
        const bool there = scenario_.stream->announce(period);
        if (stop_ != nullptr && *stop_)
            throw Error("interrupted before the first new period; nothing was changed");
        if (!there) refuse(fmt::format("the demand ends after {} records", turns_));
        try {
            reveal(period);
        } catch (const DamagedFile&) {
            throw;
        } catch (const DataError&) {
            continue;  // it was held
        }
    }
    if (seen_.value() != checksum) refuse("the demand has changed");
}

void RouteRun::store_turn() {
    // A turn that an output has missed is played again.
    if (!journal_ || outcome_.io_error) return;
    const auto store = [&] {
        journal_->decision(decided_);
        journal_->figures(figures_);
        if (observed_) {
            for (const Alarm& alarm : alarms_.raised_now()) journal_->alarm(stored(alarm, true));
            for (const Alarm& alarm : alarms_.cleared_now()) journal_->alarm(stored(alarm, false));
        }
        journal_->end_turn([this](StateArchive& archive) { serialise(archive); });
    };
    // Who feeds the run has to know, and may try again.
    fed_ ? store() : guarded(store);
}

void RouteRun::finish_store(bool ended) {
    if (!journal_) return;
    guarded([&] {
        // In the middle of a turn there is no state: the turns since the last one are played again.
        outcome_.data_error || outcome_.io_error ? journal_->commit() : write_end(ended);
    });
}

void RouteRun::write_end(bool ended) {
    journal_->finish([this](StateArchive& archive) { serialise(archive); },
                     epochs_json(outcome_.certificates), series_ ? to_json(report()) : std::string(), ended);
}

void RouteRun::save() {
    if (!journal_) return;
    const Journal::Serialise state = [this](StateArchive& archive) { serialise(archive); };
    journal_->commit(&state);
}

void RouteRun::close() {
    outcome_.certificates = certificates();
    outcome_.methods = methods();
    if (journal_) write_end(false);
}

void RouteRun::serialise(StateArchive& archive) {
    serialise_ground(archive);
    archive.field("turns", turns_);
    std::uint64_t checksum = seen_.value();
    archive.field("checksum", checksum);
    seen_ = Checksum(checksum);
    archive.field("held", outcome_.held);
    archive.field("refused", outcome_.refused);
    archive.field("events", outcome_.events);
    archive.field("busiest decision", outcome_.busiest_decision);
    archive.section("sums", lead_sums_);
    serialise_memory(archive);
    serialise_players(archive);
    bool gathered = series_ != nullptr;
    archive.field("gathered", gathered);
    archive.require(gathered == (series_ != nullptr), "the same wish for a report");
    if (series_) archive.section("report", *series_);
    serialise_outputs(archive);
}

/// The network and where the traffic goes on it.
void RouteRun::serialise_ground(StateArchive& archive) {
    archive.section("network", keeper_);
    archive.field("periods", outcome_.periods);
    archive.field("epoch", epoch_);
    archive.field("label", row_.label);
    archive.fixed("splits", played_);
    archive.fixed("start", parts_.start);
    archive.list("splits before", before_);
    archive.require(before_.empty() || before_.size() == played_.size(), "as many splits as there are");
    for (std::vector<Real>* each : {&links_.load, &links_.time, &links_.utilisation}) {
        archive.list("links", *each);
        archive.require(each->empty() || each->size() == scenario_.network->links(), "a number a link");
    }
}

/// What was seen lately, whoever learns from it.
void RouteRun::serialise_memory(StateArchive& archive) {
    archive.section("alarms", alarms_);
    if (settings_.generate > 0) archive.section("recent", recent_);
}

void RouteRun::follow(RouteRun& other) {
    StateArchive told;
    other.serialise_ground(told);
    other.serialise_memory(told);
    StateArchive heard(told.seal(), "the run it follows");
    serialise_ground(heard);
    serialise_memory(heard);
    heard.finish();
    turns_ = other.turns_;
    parts_.start = played_;
}

void RouteRun::go_on_from(RouteRun& other) {
    follow(other);
    if (!other.lead_) return;
    StateArchive told;
    other.serialise_learner(told);
    StateArchive heard(told.seal(), "the run it goes on from");
    serialise_learner(heard);
    heard.finish();
    // Demands kept for one window are not those another would have: fewer, or of other ages.
    if (!same_windows(lead_->facts(), other.lead_->facts())) throw Error("its windows are others");
    // From here on it is judged by itself.
    if (lead_->revise([](View) {}).status == RoundStatus::refused)
        throw Error("what it has learned cannot be evaluated under the new settings");
    lead_seconds_ = lead_->seconds();
    epochs_->begin(lead_->facts(), lead_->seconds());
    decide();
}

void RouteRun::serialise_learner(StateArchive& archive) {
    archive.field("step", parts_.step);
    if (archive.reading()) {
        archive.require(parts_.step > 0, "a step above 0");
        parts_.start = even_splits(scenario_.routing->paths);  // nobody starts there any more
        make_players();
    }
    archive.section("learner", *lead_);
}

void RouteRun::serialise_players(StateArchive& archive) {
    bool begun = lead_ != nullptr;
    archive.field("begun", begun);
    if (!begun) return;
    serialise_learner(archive);
    archive.section("epochs", *epochs_);
    archive.section("contest", comparison_);
    archive.field("seconds", lead_seconds_);
}

/// Last: reading cuts files.
void RouteRun::serialise_outputs(StateArchive& archive) {
    bool there = archive.reading() ? !settings_.decisions.empty() : outputs_->decisions.has_value();
    bool files = archive.reading() ? !settings_.out.empty() : outputs_->files.has_value();
    archive.agree("decisions are written", there ? 1 : 0);
    archive.agree("files are written", files ? 1 : 0);
    if (there) {
        std::uint64_t bytes = archive.reading() ? 0 : outputs_->decisions->bytes();
        archive.field("decisions", bytes);
        if (archive.reading()) outputs_->decisions.emplace(settings_.decisions, *scenario_.network, bytes);
    }
    if (!files) return;
    if (!archive.reading()) return outputs_->files->serialise(archive);
    outputs_->files.emplace(settings_.out, route_detail(settings_.detail), file_facts(), *scenario_.network,
                            *scenario_.routing, &archive);
}

}  // namespace proxstream
