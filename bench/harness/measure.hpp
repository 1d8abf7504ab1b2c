/// Ratios that survive a busy machine. Entries are timed in turn, again and again. Reported is the median of
/// the ratios within each turn, with its quartiles.
#pragma once

#include "proxstream/core/types.hpp"

#include <functional>
#include <vector>

namespace proxstream::bench {

/// The compiler has to make `value`, and may not move it out of what is timed.
template <class T>
[[gnu::always_inline]] inline void keep(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

struct Spread {
    double low = 0;  // first quartile
    double median = 0;
    double high = 0;  // third quartile
    Index count = 0;
};

/// Quartiles between values by linear interpolation.
Spread spread_of(std::vector<double> values);

struct Effort {
    int repeats = 11;
    double seconds = 0.02;  // a repeat takes at least so long, by calls in a row
};

/// One repeat: seconds a call.
using Timed = std::function<double()>;

/// Calls in a row, their number found here once so that a repeat takes `effort.seconds`.
Timed looped(std::function<void()> call, const Effort& effort);
/// One call a repeat, for what takes long enough.
Timed once(std::function<void()> call);

class Timings {
  public:
    explicit Timings(std::vector<std::vector<double>> seconds) : seconds_(std::move(seconds)) {}
    Spread seconds(Index entry) const { return spread_of(seconds_[entry]); }
    /// Of all repeats together, where each is a part of one run.
    double total(Index entry) const;
    /// How many times longer `other` takes than `ours`, repeat by repeat; `scale` multiplies each.
    Spread ratio(Index other, Index ours, double scale = 1) const;

  private:
    std::vector<std::vector<double>> seconds_;  // entry, repeat
};

/// Runs the entries one after the other, in forward and backward order by turns.
Timings comparison(const std::vector<Timed>& entries, const Effort& effort);

}  // namespace proxstream::bench
