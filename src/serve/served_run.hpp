/// A run that gets its records from posts. This is the service's only interface to learners.
///
/// All calls come from one thread at a time. Texts are JSON.
#pragma once

#include "proxstream/core/types.hpp"

#include "store/journal.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The answer to a post of one record.
struct PlayedTurn {
    Turn turn = 0;
    std::string
        status;  // quiet, solved, budget_exhausted, refused, held, waiting (records are still gathered)
    std::string answer;  // a JSON object: what was decided for it before it was known, its loss, its gaps
    std::vector<Real> figures;  // by the channels of the identity
    std::vector<StoredAlarm> alarms;
};

class ServedRun {
  public:
    ServedRun() = default;
    ServedRun(const ServedRun&) = delete;
    ServedRun& operator=(const ServedRun&) = delete;
    virtual ~ServedRun() = default;

    virtual Journal& journal() = 0;
    virtual const Journal& journal() const = 0;

    /// Throws DataError that names the field and what is allowed; nothing changes.
    virtual void check(std::string_view record) const = 0;
    /// Plays the next turn with a record that check() has accepted, and gathers it in the journal (end_turn
    /// is called). Throws IoError if a commit failed; the turn is played even so, and pending.
    virtual PlayedTurn play(std::string_view record, std::string_view key) = 0;
    /// The decision for the next turn, as an object.
    virtual std::string decision() const = 0;
    /// Predictions for rows at the present decision; throws ConfigError where the kind has none, DataError.
    virtual std::string predict(std::string_view rows) const = 0;
    /// The certificate of the turns so far, as an object; `sound`: no claim is violated.
    virtual std::string certificate(bool& sound) const = 0;
    /// What a record looks like, as a JSON schema object, for the API's document.
    virtual std::string record_schema() const = 0;
    /// What the live page shows beyond the series, as of now (kind-specific object; {} if nothing).
    virtual std::string picture() const = 0;
    /// The same run from here on under other settings, in a store of its own at `store`. `events` (JSON
    /// array, may be empty) happen to it before its next turn. Throws ConfigError with every violation.
    virtual std::unique_ptr<ServedRun> fork(const std::string& store, const SettingList& changes,
                                            std::string_view events) const = 0;
    /// Takes over what may change while it runs (SIGHUP); throws ConfigError naming what may not.
    virtual void reload(const SettingList& settings) = 0;
    /// Commits with a saved state.
    virtual void save() = 0;
    /// Saves the state, the certificate and the report. The run can be continued later.
    virtual void close() = 0;
};

/// Opens the run of these settings: creates its store, or continues the run in it. Kinds: learn, route.
/// Throws ConfigError, DataError, IoError.
std::unique_ptr<ServedRun> open_served_run(const std::string& kind, const SettingList& settings,
                                           const std::string& version);
/// A learner of rows.
std::unique_ptr<ServedRun> open_served_learn(const SettingList& settings, const std::string& version);
/// A network: demand and events are posted, splits are asked for. Rivals and lower bound are off unless the
/// settings ask for them.
std::unique_ptr<ServedRun> open_served_route(const SettingList& settings, const std::string& version);

}  // namespace proxstream
