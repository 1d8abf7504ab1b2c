/// The formulas of a form of window: its weights in a round, the recurrence from the round before, and what a
/// forecast window keeps. The forms are in fixed_windows.cpp, running_mean.cpp and listed_window.cpp.
#pragma once

#include "proxstream/core/types.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

inline constexpr Index kLongestWindow = 10'000'000;

struct WeightedAge {
    Index age = 0;
    Real weight = 0;
};

/// From the window of round t-1 to the one of round t, at a fixed point; ages are counted from round t.
struct WindowRecurrence {
    Real keep = 1;                     // factor of the window before; 0: nothing of it is left
    Real of_sum = 0;                   // factor of the sum of the W records before the newest (triangle)
    std::vector<WeightedAge> records;  // plus these, youngest first
    bool is_swap = false;              // the newest enters and one leaves with the same weight (box)
};

class WindowForm {
  public:
    virtual ~WindowForm() = default;

    virtual Index length() const = 0;  // W: ages 0..W-1 may count
    /// The weights by age in round t, from 1; at most length() of them.
    virtual void at(Round t, std::vector<Real>& out) const = 0;
    /// How round t follows from round t-1. `out` comes as a default-constructed one. Windows of one record
    /// need not say that they keep nothing.
    virtual void follow(Round t, WindowRecurrence& out) const = 0;
    virtual Real newest(Round t) const = 0;  // a_0
    /// The window of round t+1 by age in round t, without the loss to come: as it is, or scaled up to the
    /// same mass. Null: no record is left, in some round.
    virtual std::shared_ptr<const WindowForm> rest(bool rescaled) const = 0;

    virtual Real mass() const { return 1; }  // sum a_i
    /// w_a = 2 / TV with TV = sum |a_i - a_{i-1}|, the last drop included. Of weights that vary, the longest.
    virtual Real effective_length() const;
    virtual Index summed() const { return 0; }  // records in the sum that `of_sum` refers to
    virtual bool varies() const { return false; }
    virtual bool is_dense() const { return true; }      // every age below W counts
    virtual bool is_seasonal() const { return false; }  // several lags that lie apart
};

/// Throws ConfigError.
[[noreturn]] void refuse_window(const std::string& text, const std::string& why);
/// Throws ConfigError unless `length` is from 1 to kLongestWindow.
void check_window_length(const std::string& text, std::string_view what, Index length);

}  // namespace proxstream
