/// The data of a run's page, as JSON: all of it, and the events that change it (docs/report.md). The page
/// reads the same form from a file and from the service.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/json_writer.hpp"
#include "store/run_identity.hpp"
#include "store/run_store.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct PageState {
    Turn turn = 0;    // the last one played
    Turn saved = 0;   // the last saved state
    Turn folded = 0;  // turns up to this one are kept as sums only
    bool finished = false;
    std::string status = "stopped";  // running, paused, stopped, failed
    std::string message = {};        // the reason of the status, if any

    friend bool operator==(const PageState&, const PageState&) = default;
};

/// An alarm, from the turn it was raised in to the turn it was cleared in.
struct PageAlarm {
    std::uint64_t id = 0;
    Turn turn = 0;
    std::optional<Turn> cleared = {};
    std::string kind = {};
    std::string subject = {};
    std::string text = {};

    friend bool operator==(const PageAlarm&, const PageAlarm&) = default;
};

/// A fork of the run that the service runs.
struct PageFork {
    std::string name;
    std::string url = {};  // of its page data and events
    Turn begun = 0;        // the last turn that both have
    SettingList settings;  // those that differ
    Turn turn = 0;
};

/// Texts are JSON objects, or empty.
struct PageParts {
    RunIdentity identity;
    PageState state = {};
    Series series = Series{};
    std::vector<PageAlarm> alarms = {};
    std::string certificate = {};  // as the run wrote it
    std::string decision = {};
    std::string picture = {};
    std::string summary = {};   // of a run of learn: members, metrics and yardsticks
    std::string live_url = {};  // /v1/learners/NAME; empty: not served
    std::vector<PageFork> forks = {};
};

/// Numbers of series have six significant digits; those that are not finite are null. Safe inside an HTML
/// script element. Throws DataError if a text is not JSON.
std::string page_json(const PageParts& parts);
/// {"first","last","figures":[one list per turn]}
std::string turns_json(Turn first, std::span<const std::vector<Real>> figures);
/// {"series":{..},"turn"}
std::string series_json(const Series& series, Turn turn);

// The members of objects.
void put_members(JsonWriter& to, const PageState& state);
void put_members(JsonWriter& to, const PageAlarm& alarm);
void put_members(JsonWriter& to, const PageFork& fork);
template <class Part>
std::string page_json(const Part& part) {
    return json_object([&](JsonWriter& to) { put_members(to, part); });
}
void put_settings(JsonWriter& to, const SettingList& settings);
/// "claims", as in page_certificate().
void put_claims(JsonWriter& to, std::span<const Inequality> claims);

/// The page of a store, whether its run continues, was killed or has ended. If no certificate of all turns
/// was saved, it is computed from the ledgers.
PageParts page_parts(const RunStore& store);

/// Joins the raised and the cleared rows of alarms, in the order they were raised.
std::vector<PageAlarm> page_alarms(std::span<const AlarmOfTurn> alarms);

/// The one form of certificates on the page:
/// {"conclusion","sound","claims":[{"id","statement","verdict","left", "right","explanation"}]}, or null.
/// Takes the certificates of learn, route (a list of epochs), play and fit. `kind`: of the run. Throws
/// DataError if the text is not JSON.
std::string page_certificate(const std::string& json, const std::string& kind);

}  // namespace proxstream
