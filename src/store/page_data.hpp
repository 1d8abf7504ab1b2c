/// What the page of a run shows, as JSON: the whole of it, and what changes while somebody looks
/// (docs/report.md). The same page reads it from a file and from the service.
#pragma once

#include "proxstream/core/types.hpp"

#include "store/run_identity.hpp"
#include "store/run_store.hpp"
#include "store/series.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct PageState {
    Turn turn = 0;    // the last one played
    Turn saved = 0;   // the last state saved
    Turn folded = 0;  // turns up to this one are no longer there one by one
    bool finished = false;
    std::string status = "stopped";  // running, paused, stopped, failed
    std::string message = {};        // why, where there is more to say

    friend bool operator==(const PageState&, const PageState&) = default;
};

/// From the turn it was raised in to the one it was cleared in.
struct PageAlarm {
    std::uint64_t id = 0;
    Turn turn = 0;
    std::optional<Turn> cleared = {};
    std::string kind = {};
    std::string subject = {};
    std::string text = {};

    friend bool operator==(const PageAlarm&, const PageAlarm&) = default;
};

/// A run that was forked from this one and is still served.
struct PageFork {
    std::string name;
    std::string url = {};  // of its own page data and events, as `live_url`
    Turn begun = 0;        // the last turn the two have in common
    SettingList settings;  // what it does otherwise
    Turn turn = 0;
};

/// Pieces of JSON are objects, or empty where there is nothing.
struct PageParts {
    RunIdentity identity;  // its scenery too
    PageState state = {};
    Series series = Series{};
    std::vector<PageAlarm> alarms = {};
    std::string certificate = {};  // as any run writes it: page_json() makes one form of them
    std::string decision = {};
    std::string picture = {};
    std::string live_url = {};  // /v1/learners/NAME; empty: nobody serves it
    std::vector<PageFork> forks = {};
};

/// The whole of it. Numbers of series have six significant digits; what is not finite is null. Safe inside
/// an HTML script element. Throws DataError if a piece is no JSON.
std::string page_json(const PageParts& parts);

/// Of a store, whether its run goes on, was killed or is over. Where no certificate was saved, or turns were
/// played since, it is worked out from the ledgers.
PageParts page_parts(const RunStore& store);

/// Raised and cleared ones of a store or a journal, put together; in the order they were raised.
std::vector<PageAlarm> page_alarms(std::span<const std::pair<Turn, StoredAlarm>> alarms);

// What events carry, as the page reads it.

/// {"first","last","figures":[[..] a turn]}
std::string turns_json(Turn first, std::span<const std::vector<Real>> figures);
/// {"series":{..},"turn"}
std::string series_json(const Series& series, Turn turn);
std::string state_json(const PageState& state);
std::string alarm_json(const PageAlarm& alarm);
std::string fork_json(const PageFork& fork);

}  // namespace proxstream
