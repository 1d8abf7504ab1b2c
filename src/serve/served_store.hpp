/// How served runs of every kind open their stores, fork and read their settings again.
#pragma once

#include "run/setting_list.hpp"
#include "store/journal.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace proxstream {

/// A new store with `identity`, or the one that is there. Throws ConfigError if its run has other settings;
/// `usual`: the settings of the kind when none is given.
template <class S>
Journal open_store(const S& settings, S usual, RunIdentity identity, const JournalOptions& options) {
    const std::string& path = settings.store;
    if (!has_run(path)) return Journal::create(path, std::move(identity), options);
    take_settings(RunStore(path).identity().settings, usual);
    require_same_results(usual, settings, path);
    return Journal::open(path, options);
}

/// The settings of a fork in `store`; `allowed`: what it may change.
template <class S>
S forked_settings(S settings, const SettingList& changes, const std::string& store, const char* allowed,
                  Violations& violations) {
    for (const auto& [name, value] : changes) {
        for (const auto& row : S::options())
            violations.refuse(row.name == name && !may_fork(row), name + ": a fork may change " + allowed);
    }
    violations.collect("", [&] { take_settings(changes, settings); });
    settings.store = store;
    return settings;
}

/// Takes over what may change while a run is served.
template <class S>
void reload_settings(S& settings, const S& next, const std::string& store) {
    require_same_results(settings, next, store);
    settings.threads = next.threads;
}

/// `identity` with what a fork has from its parent.
inline RunIdentity child_identity(RunIdentity identity, const Journal& parent, std::string begun) {
    identity.title = parent.identity().title;
    identity.command = parent.identity().command;
    identity.parent = {.id = parent.identity().id,
                       .store = parent.path(),
                       .turn = parent.played(),
                       .begun = std::move(begun)};
    return identity;
}

}  // namespace proxstream
