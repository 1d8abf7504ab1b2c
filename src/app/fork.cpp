#include "proxstream/core/error.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "io/standard_error.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"
#include "run/setting_list.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr const char* kDescription =
    "Starts a new run from the last saved state of another one; 'proxstream resume NEW' continues it. "
    "Options may change the learner of a run of 'learn': it takes over the window if it can use it, else "
    "only "
    "the point.\n  proxstream fork RUN NEW [options]";

/// Options that name what a run writes beside its store.
constexpr std::array<std::string_view, 9> kFiles{"predictions", "save",  "certificate", "ledger", "out",
                                                 "report",      "trace", "decisions",   "metrics"};

RunIdentity child_of(const RunStore& store, Turn turn, std::string begun) {
    RunIdentity identity = store.identity();
    identity.parent = {.id = identity.id, .store = store.path(), .turn = turn, .begun = std::move(begun)};
    return identity;
}

/// A copy of the run under another name; the two continue independently.
int copy_run(const RunStore& store, const std::string& target) {
    const Turn last = store.state().last;
    RunIdentity identity = child_of(store, last, "as a copy");
    identity.id = Journal::new_id();
    const bool learns = identity.kind == "learn";
    std::vector<std::string> violations;
    for (auto& [name, value] : identity.settings) {
        if (name == "store") value = target;
        if (value.empty() || std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end()) continue;
        // What both would write to one file would be lost.
        if (!learns)
            violations.push_back(
                fmt::format("fork: the run writes to {} = {}, and so would its fork", name, value));
        value.clear();
    }
    if (!violations.empty()) throw ConfigError(violations);
    store.copy_to(target, identity);
    eprint("{}: a copy of {} after turn {}; 'proxstream resume {}' continues it\n", target, store.path(),
           last, target);
    return kOk;
}

/// Another learner from the stored point on.
int fork_learn(const RunStore& store, const LearnSettings& before, const LearnSettings& settings) {
    LearnRun parent(before, stop_requested());
    const auto turn = store.restore([&](StateArchive& state) { parent.serialise(state); });
    if (!turn) throw ConfigError(store.path() + ": no state is saved yet; there is nothing to begin from");
    const RunOrigin origin{PROXSTREAM_VERSION, {}};
    auto child = std::make_unique<LearnRun>(settings, stop_requested(), origin);
    const std::string begun = begin_fork(*child, parent, "at its point, with an empty window", [&] {
        child = std::make_unique<LearnRun>(settings, stop_requested(), origin, parent.learner().decide());
        child->follow_stream(parent);
    });
    RunIdentity identity = child_of(store, *turn, begun);
    identity.settings = setting_list(settings);
    RunDriver(*child).begin_at_state(
        Journal::create(settings.store, std::move(identity), child->journal_options()));
    eprint("{}: forked from {} after turn {}, {}; 'proxstream resume {}' continues it\n", settings.store,
           store.path(), *turn, begun, settings.store);
    return kOk;
}

}  // namespace

int fork_run(const std::vector<std::string>& arguments) {
    const bool help = std::any_of(arguments.begin(), arguments.end(),
                                  [](const std::string& each) { return each == "--help" || each == "-h"; });
    if (!help && (arguments.size() < 2 || arguments[0].starts_with('-') || arguments[1].starts_with('-')))
        throw ConfigError("fork: expected RUN and NEW, see 'proxstream fork --help'");
    std::optional<RunStore> store;
    LearnSettings before;
    std::vector<std::string> rest = arguments;
    if (!help) {
        store.emplace(arguments[0]);
        rest.erase(rest.begin(), rest.begin() + 2);
        if (store->identity().kind != "learn") {
            if (!rest.empty())
                throw ConfigError(fmt::format("fork: a run of '{}' is forked as it is; leave out '{}'",
                                              store->identity().kind, rest.front()));
            return copy_run(*store, arguments[1]);
        }
        take_settings(store->settings(), before);
    }
    LearnSettings settings = before;
    if (!help) settings.store = arguments[1];
    for (std::string* parents : {&settings.predictions, &settings.metrics, &settings.save,
                                 &settings.certificate_json, &settings.report})
        parents->clear();
    const auto done = parse_command_line(
        "fork", kDescription, rest, settings,
        {.takes = [](const auto& row) { return may_fork(row); }, .checks = {[&] { validate(settings); }}});
    if (done) return *done;
    settings = with_defaults(settings);
    const bool same = std::all_of(
        LearnSettings::options().begin(), LearnSettings::options().end(),
        [&](const auto& row) { return !may_fork(row) || present(row, before) == present(row, settings); });
    return same ? copy_run(*store, arguments[1]) : fork_learn(*store, before, settings);
}

}  // namespace proxstream::app
