/// A network run in its store: its identity, its state, and how it is continued or forked. Demand is read
/// again from its beginning and must be the same.
#include "proxstream/core/error.hpp"

#include "route/report_layout.hpp"
#include "route/route_run.hpp"
#include "run/setting_list.hpp"
#include "traffic/split_set.hpp"

namespace proxstream {
namespace {

StoredAlarm stored(const Alarm& alarm, bool raised) {
    return {.id = alarm.number,
            .raised = raised,
            .kind = std::string(name(alarm.kind)),
            .subject = alarm.subject,
            .text = alarm.text};
}

}  // namespace

std::vector<std::string> route_channels() {
    return {"cost",      "demand", "utilisation_max", "churn", "stationarity_gap", "bound",
            "tolerance", "regret", "regret_bound",    "steps", "gradients",        "seconds"};
}

RunIdentity RouteRun::identity() const {
    RunIdentity identity =
        make_identity("route", scenario_.title, setting_list(settings_), route_channels(), origin_);
    identity.scenery =
        network_json(drawn_network(*scenario_.network), scenario_.routing->costs.file_capacities());
    return identity;
}

JournalOptions RouteRun::journal_options() const {
    const bool clocked = settings_.max_seconds < kInfinity || settings_.stale_seconds > 0;
    return proxstream::journal_options(settings_, clocked, origin_.version);
}

/// The settings at the beginning of the run; the number of periods may have changed since.
SettingList RouteRun::original_settings() const {
    if (journal_ == nullptr) return result_settings(settings_);
    RouteSettings original;
    take_settings(journal_->identity().settings, original);
    return result_settings(original);
}

RouteFacts RouteRun::file_facts() const {
    return {.version = origin_.version,
            .command = origin_.command,
            .settings = original_settings(),
            .cost = link_cost(settings_),
            .objective = settings_.objective,
            .demand_unit = scenario_.demand_unit,
            .cost_unit = scenario_.cost_unit};
}

/// The files of the folder, not opened yet.
void RouteRun::prepare_files() {
    if (settings_.out.empty()) return;
    outputs_.files.emplace(settings_.out, route_detail(settings_.detail), file_facts(), *scenario_.network,
                           *scenario_.routing);
}

void RouteRun::begin(bool restored) {
    if (restored && !input_.fed) read_again();
    if (!restored) prepare_files();
    if (outputs_.files) outputs_.files->open(*scenario_.routing, journal_);
    if (!settings_.decisions.empty())
        outputs_.decisions.emplace(open_output(journal_, settings_.decisions), *scenario_.network);
}

void RouteRun::mark_outputs(OutputMarks& marks) {
    if (outputs_.files) outputs_.files->mark_outputs(marks);
    if (outputs_.decisions) outputs_.decisions->mark(marks);
    if (primary_.epochs) primary_.epochs->mark_outputs(marks);
}

std::vector<std::string> RouteRun::outputs() const {
    std::vector<std::string> files{settings_.decisions, settings_.report};
    const auto add = [&](const std::vector<std::string>& more) {
        files.insert(files.end(), more.begin(), more.end());
    };
    if (outputs_.files) add(outputs_.files->outputs());
    if (primary_.epochs) add(primary_.epochs->ledgers());
    return files;
}

void RouteRun::open_accounts() {
    if (primary_.epochs) primary_.epochs->record_in(journal_);
}

void RouteRun::close_accounts(RunEnding ending) {
    if (primary_.learner)
        primary_.epochs->close_account(primary_.learner->close(), ending, primary_.learner->seconds());
}

void RouteRun::note_record(bool usable) {
    ++input_.mark.records;
    Checksum& seen = input_.mark.seen;
    seen.add(std::string_view(last_.period.label));
    for (const NetworkEvent& event : last_.period.events) {
        seen.add(static_cast<std::uint64_t>(event.kind));
        seen.add(std::uint64_t{event.link});
        seen.add(ConstView(&event.factor, 1));
    }
    seen.add(static_cast<std::uint64_t>(usable));
    if (usable) seen.add(ConstView(last_.period.demand));
}

/// Counts every record, usable or not.
void RouteRun::reveal() {
    try {
        scenario_.stream->reveal(last_.period);
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError&) {
        note_record(false);
        throw;
    }
    note_record(true);
}

void RouteRun::read_again() {
    input_.mark.read_again(
        {.what = "demand", .source = scenario_.stream->source(), .store = journal_->path()}, input_.stop,
        [&] {
            if (!scenario_.stream->announce(last_.period)) return false;
            try {
                reveal();
            } catch (const DamagedFile&) {
                throw;
            } catch (const DataError&) {
                return true;  // the period was held
            }
            return true;
        });
}

TurnRecord RouteRun::record() const {
    TurnRecord turn{.decision = last_.decided, .figures = last_.figures};
    if (!last_.observed) return turn;
    for (const Alarm& alarm : alarms_.raised_now()) turn.alarms.push_back(stored(alarm, true));
    for (const Alarm& alarm : alarms_.cleared_now()) turn.alarms.push_back(stored(alarm, false));
    return turn;
}

void RouteRun::serialise(StateArchive& archive) {
    serialise_ground(archive);
    archive.fields(Field{"input", input_.mark}, Field{"held", outcome_.held},
                   Field{"refused", outcome_.refused}, Field{"events", outcome_.events},
                   Field{"busiest decision", outcome_.busiest_decision}, Field{"sums", primary_.sums});
    serialise_memory(archive);
    serialise_players(archive);
    archive.agree("gathered", outputs_.series ? 1 : 0);
    if (outputs_.series) archive.section("report", *outputs_.series);
    serialise_outputs(archive);
}

/// The network and its present traffic.
void RouteRun::serialise_ground(StateArchive& archive) {
    archive.fields(Field{"network", keeper_}, Field{"periods", outcome_.periods},
                   Field{"epoch", primary_.epoch}, Field{"label", last_.row.label});
    archive.fixed("splits", splits_.now);
    archive.fixed("start", parts_.start);
    archive.list("splits before", splits_.before);
    archive.require(splits_.before.empty() || splits_.before.size() == splits_.now.size(),
                    "as many splits as there are");
    for (std::vector<Real>* each : {&last_.links.load, &last_.links.time, &last_.links.utilisation}) {
        archive.list("links", *each);
        archive.require(each->empty() || each->size() == scenario_.network->links(), "a number a link");
    }
}

/// What is kept of recent periods for searches and alarms, independent of the learner.
void RouteRun::serialise_memory(StateArchive& archive) {
    archive.section("alarms", alarms_);
    if (settings_.generate > 0) archive.section("recent", search_.recent);
}

void RouteRun::follow(RouteRun& other) {
    StateArchive out;
    other.serialise_ground(out);
    other.serialise_memory(out);
    StateArchive in(out.seal(), "the parent run");
    serialise_ground(in);
    serialise_memory(in);
    in.finish();
    input_.mark.records = other.turns();
    parts_.start = splits_.now;
}

void RouteRun::continue_from(RouteRun& other) {
    follow(other);
    if (!other.primary_.learner) return;
    StateArchive out;
    other.serialise_learner(out);
    StateArchive in(out.seal(), "the parent run");
    serialise_learner(in);
    in.finish();
    // A store of demands for one window does not serve another one: it has fewer demands, or other ages.
    AnyLearner& learner = *primary_.learner;
    if (!same_windows(learner.facts(), other.primary_.learner->facts())) throw Error("its windows differ");
    // Evaluates the losses of its window under the new settings.
    if (learner.revise([](View) {}).status == RoundStatus::refused)
        throw Error("what it has learned cannot be evaluated under the new settings");
    primary_.seconds = learner.seconds();
    primary_.epochs->begin(learner.facts(), learner.seconds());
    decide();
}

void RouteRun::serialise_learner(StateArchive& archive) {
    archive.field("step", parts_.step);
    if (archive.reading()) {
        archive.require(parts_.step > 0, "a step above 0");
        parts_.start = even_splits(scenario_.routing->paths);  // no method uses the start from here on
        make_players();
    }
    archive.section("learner", *primary_.learner);
}

void RouteRun::serialise_players(StateArchive& archive) {
    bool begun = primary_.learner != nullptr;
    archive.field("begun", begun);
    if (!begun) return;
    serialise_learner(archive);
    archive.fields(Field{"epochs", *primary_.epochs}, Field{"comparison", comparison_},
                   Field{"seconds", primary_.seconds},
                   Field{"revision gradients", primary_.revision_gradients});
}

void RouteRun::serialise_outputs(StateArchive& archive) {
    archive.agree("files are written", settings_.out.empty() ? 0 : 1);
    if (settings_.out.empty()) return;
    if (archive.reading()) prepare_files();
    outputs_.files->serialise(archive);
}

}  // namespace proxstream
