/// Alarms with hysteresis: raised when something has been wrong for a while, cleared when it has been right
/// for a while, and silent in between, so that a value that swings around a threshold raises one alarm and
/// not one a swing.
#pragma once

#include "proxstream/core/checkpoint.hpp"
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
    stale_feed,   // no period came for too long, or one that could not be used
    unroutable,   // demand on a pair without a path
    demand,       // the total, or what leaves an origin, is far outside its own recent range
    residual,     // the splits fit worse and worse what is seen
};
std::string_view name(AlarmKind kind);

struct AlarmOptions {
    Real raise = 0.9;        // utilisation: an alarm after `sustain` periods in a row above it
    Real clear = 0.8;        // and cleared after as many below this one
    Index sustain = 3;       // periods an alarm of any kind has to be right again before it is cleared
    Real stale_seconds = 0;  // a feed silent for longer is stale; 0: never
    Real anomaly = 6;        // robust deviations of demand that are too many; half of them clear; 0: never
    Index anomaly_periods = 96;  // what is recent, for demand
    Real residual_factor = 3;    // recent entry residuals over usual ones; 0: never
    Index residual_fast = 4;     // periods of the recent average
    Index residual_slow = 64;    // and of the usual one
    Index keep = 10'000;         // alarms remembered
};
/// Throws ConfigError with every violation, by the names of the command line.
void validate(const AlarmOptions& options);

struct Alarm {
    Index number = 0;  // from 1, in the order they were raised
    AlarmKind kind = AlarmKind::utilisation;
    std::string subject = {};  // a link's name, a pair as A->B, an origin, or what else it is about
    Index period = 0;          // in which it was raised
    std::optional<Index> cleared = {};
    Real value = 0;         // at its worst
    std::string text = {};  // what was seen when it was raised

    void exchange(Checkpoint& checkpoint);
};

/// One period, as the desk sees it. Parts that are not known are left out.
struct AlarmInput {
    Index period = 0;                        // from 1
    std::string_view problem = {};           // why the period could not be used; empty: it could
    Real waited = 0;                         // seconds since the period before came
    ConstView utilisation = {};              // by link
    ConstView demand = {};                   // by pair
    std::span<const Index> unroutable = {};  // pairs with demand and without a path, ascending
    Real entry_residual = std::numeric_limits<Real>::quiet_NaN();
};

class AlarmDesk {
  public:
    /// Names come from `network`, which has to stay. Throws ConfigError.
    AlarmDesk(AlarmOptions options, const Network& network, std::vector<Pair> pairs);

    /// Once a period.
    void observe(const AlarmInput& input);

    /// Of the last period observed.
    std::span<const Alarm> raised_now() const noexcept { return raised_; }
    std::span<const Alarm> cleared_now() const noexcept { return cleared_; }
    /// In the order they were raised.
    std::span<const Alarm> open() const noexcept { return open_; }
    /// Every alarm remembered, in the order they were raised. Of those that are cleared the oldest are
    /// forgotten when there are too many; open ones never are, of which there is at most one a subject.
    std::vector<Alarm> all() const;
    Index total() const noexcept { return total_; }      // raised so far
    Index dropped() const noexcept { return dropped_; }  // forgotten

    /// Between two periods: everything but what was raised and cleared in the last one.
    void exchange(Checkpoint& checkpoint);

  private:
    /// What is watched: how long it has been wrong or right, and the alarm it has open.
    struct Watch {
        Index wrong = 0;
        Index right = 0;
        Index alarm = 0;  // its number; 0: none

        void exchange(Checkpoint& checkpoint);
    };
    /// The last values of a quantity.
    struct History {
        std::vector<Real> values;
        Index next = 0;
        Watch watch = {};
    };
    struct Sight {
        bool wrong = false;
        bool right = false;  // neither: in between, where nothing changes
        Real value = 0;
    };
    /// `subject` and `text` are asked for only when an alarm is raised.
    template <class Subject, class Text>
    void see(Watch& watch, AlarmKind kind, Sight sight, Index sustain, const Subject& subject,
             const Text& text);
    void watch_feed(const AlarmInput& input);
    void watch_links(ConstView utilisation);
    void watch_pairs(const AlarmInput& input);
    void watch_demand(ConstView demand);
    void watch_history(Index which);
    void watch_residual(Real residual);
    void forget();

    AlarmOptions options_;
    const Network& network_;
    std::vector<Pair> pairs_;
    Index period_ = 0;
    Index total_ = 0, dropped_ = 0;
    std::vector<Alarm> raised_, cleared_, open_;
    std::deque<Alarm> past_;

    Watch feed_;
    std::vector<Watch> links_;
    std::map<Index, Watch> without_path_;  // pairs that are or just were unroutable
    std::vector<NodeIndex> origins_;       // of the histories but the last, which is the total's
    std::vector<History> demand_;
    std::vector<Real> sums_, sorted_;  // scratch
    Real fast_ = 0, slow_ = 0;         // averages of the residual
    Index residuals_ = 0;
    Watch residual_;
};

}  // namespace proxstream
