/// Alarms with hysteresis. An alarm is raised after several bad periods in a row, and cleared after several
/// good ones. So a value that oscillates around a threshold raises a single alarm.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

enum class AlarmKind : std::uint8_t {
    utilisation,  // of a link
    stale_feed,   // no period came for too long, or it could not be used
    unroutable,   // demand on a pair without a path
    demand,       // the total, or what leaves an origin, is far outside its own recent range
    gap,          // entry gaps are far above their usual size
};
std::string_view name(AlarmKind kind);

/// When alarms are raised and cleared. The first five are options of `route`.
struct AlarmOptions {
    Real alarm_utilisation = 0.9;  // an alarm after `sustain` periods in a row above it
    Real clear_utilisation = 0.8;  // and cleared after as many below this one
    Index sustain = 3;             // good periods in a row that clear an alarm of any kind
    Real anomaly = 6;  // robust deviations of demand that raise an alarm; half of them clear it; 0: never
    Real stale_seconds = 0;      // seconds without a period after which a feed is stale; 0: never
    Index anomaly_periods = 96;  // periods that demand is compared with; at least 12
    Real gap_factor = 3;         // recent entry gaps over usual ones; 0: never
    Index gap_fast = 4;          // periods of the recent average
    Index gap_slow = 64;         // and of the usual one
    Index alarms_kept = 10'000;
};

struct Alarm {
    Index number = 0;  // from 1, in the order of raising
    AlarmKind kind = AlarmKind::utilisation;
    std::string subject = {};  // a link's name, a pair as A->B, an origin, or another name
    Index period = 0;          // in which it was raised
    std::optional<Index> cleared = {};
    Real value = 0;         // the worst so far
    std::string text = {};  // why it was raised

    void serialise(StateArchive& archive);
};

/// One period. Unknown parts are left out.
struct AlarmInput {
    Index period = 0;                        // from 1
    std::string_view problem = {};           // why the period could not be used; empty: it was used
    Real waited = 0;                         // seconds since the previous period came
    ConstView utilisation = {};              // by link
    ConstView demand = {};                   // by pair
    std::span<const Index> unroutable = {};  // pairs with demand and without a path, ascending
    Real entry_gap = std::numeric_limits<Real>::quiet_NaN();
};

class AlarmMonitor {
  public:
    /// Names come from `network`, which has to outlive it.
    AlarmMonitor(AlarmOptions options, const Network& network, std::vector<Pair> pairs);

    /// Call it once for every period.
    void observe(const AlarmInput& input);

    /// Alarms raised in the last period observed.
    std::span<const Alarm> raised_now() const noexcept { return std::span(open_).last(raised_); }
    std::span<const Alarm> cleared_now() const noexcept { return cleared_; }
    /// In the order they were raised.
    std::span<const Alarm> open() const noexcept { return open_; }
    /// Every alarm kept, in the order of raising. When there are too many, the oldest cleared alarms are
    /// dropped. Open alarms are kept; there is at most one per subject.
    std::vector<Alarm> all() const;
    Index total() const noexcept { return total_; }      // raised so far
    Index dropped() const noexcept { return dropped_; }  // not kept

    /// Between two periods; alarms raised and cleared in the last period are not part of the state.
    void serialise(StateArchive& archive);

  private:
    /// How long a subject has been bad or good, and its open alarm.
    struct Watch {
        Index wrong = 0;
        Index right = 0;
        Index alarm = 0;  // its number; 0: none

        void serialise(StateArchive& archive);
    };
    /// The last values of a quantity.
    struct History {
        std::vector<Real> values;
        Index next = 0;
        Watch watch = {};
    };
    /// Averages of the entry gap.
    struct GapAverages {
        Real fast = 0, slow = 0;
        Index count = 0;
        Watch watch = {};
    };
    struct Sight {
        bool wrong = false;
        bool right = false;  // neither bad nor good: nothing changes
        Real value = 0;
    };
    /// Counts a period. Returns the alarm if it is raised now; the caller fills in subject and text.
    Alarm* see(Watch& watch, AlarmKind kind, Sight sight, Index sustain);
    template <class Visit>
    void for_each_watch(const Visit& visit);
    void watch_feed(const AlarmInput& input);
    void watch_links(ConstView utilisation);
    void watch_pairs(const AlarmInput& input);
    void watch_demand(ConstView demand);
    void watch_history(Index which);
    void watch_gap(Real gap);
    void forget();

    AlarmOptions options_;
    const Network& network_;
    std::vector<Pair> pairs_;
    Index period_ = 0;
    Index total_ = 0, dropped_ = 0;
    std::vector<Alarm> open_, cleared_;
    Index raised_ = 0;  // the number of alarms at the end of open_ that were raised in this period
    std::deque<Alarm> past_;

    Watch feed_;
    std::vector<Watch> links_;
    std::map<Index, Watch> without_path_;  // pairs that are unroutable, or were until recently
    std::vector<NodeIndex> origins_;       // origins of the histories; the last history is that of the total
    std::vector<History> demand_;
    std::vector<Real> sums_, sorted_;  // scratch
    GapAverages gap_;
};

}  // namespace proxstream
