/// How much each record counts. A window is S_t = sum_i a_i f_{t-i} with weights a_i >= 0 by age i, of mass
/// at most 1 and zero from some age on; a running mean changes its weights from round to round.
///
/// What a quiet round costs is decided here: most windows follow from the one before by a short recurrence
///   S_t = keep S_{t-1} + sum of a few single records (+ a multiple of the sum of the last W),
/// so their gradient can be carried along without a pass over the store.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// A textual form of a window or of a model, for listings.
struct WindowForm {
    std::string_view usage;
    std::string_view help;
};

struct WeightedAge {
    Index age = 0;
    Real weight = 0;
};

/// From the window of round t-1 to the one of round t, at a fixed point; ages are counted from round t.
struct WindowRecurrence {
    Real keep = 1;                     // times the window before; 0: nothing of it is left
    Real of_sum = 0;                   // times the sum of the W records before the newest (triangle)
    std::vector<WeightedAge> records;  // plus these, youngest first
    bool is_swap = false;              // the newest enters and one leaves with the same weight (box)
};

/// What stands for the loss that is not known yet when a round is solved: the model Q_{t+1} is the judge
/// S_{t+1} with f_{t+1} replaced.
struct ModelRule {
    enum class Kind {
        previous,   // the window as it is, S_t: Algorithm 1. A box guesses that f_{t+1-w} comes back
        mean,       // the mean of the records the judge keeps
        zero,       // nothing
        season,     // the loss of `lag` rounds before
        record,     // a forecast that comes with the stream
        automatic,  // mean for seasons and for windows of an effective length of 16 and more; previous for
                    // shorter ones: there the one record that `mean` leaves out is missed more than the
                    // better guess helps
    };
    Kind kind = Kind::previous;
    Index lag = 0;

    /// "auto", "previous", "mean", "zero", "season:S" or "forecast". Throws ConfigError.
    static ModelRule parse(std::string_view text);
    static std::span<const WindowForm> forms();
    /// Itself, or what `automatic` stands for.
    ModelRule for_judge(const class WindowWeights& judge) const;
    std::string text() const;
    friend bool operator==(const ModelRule&, const ModelRule&) = default;
};

class WindowWeights {
  public:
    /// A plain length is a box. NOLINTNEXTLINE(google-explicit-constructor)
    WindowWeights(Index length) : WindowWeights(box(length)) {}
    static WindowWeights box(Index length);  // 1/w each
    /// C b^i for i < length, b = 1 - 1/span, C such that they add up to 1.
    static WindowWeights exponential(Real span, Index length);
    static WindowWeights triangle(Index length);  // 2 (W - i) / (W (W + 1))
    /// 1/m each of the m records since the last restart: m grows to `longest`, then the newest `keep` stay.
    static WindowWeights running_mean(Index longest, Index keep);
    static WindowWeights season(Index period, Index count);  // 1/m each at lags 0, s, .., (m-1) s
    static WindowWeights listed(std::vector<Real> weights);

    /// "64", "box:64", "exp:32,length=96", "triangle:64", "mean:64,keep=8", "season:24,7",
    /// "weights:0.5,0.3,0.2". Throws ConfigError with everything that is wrong.
    static WindowWeights parse(std::string_view text);
    static std::span<const WindowForm> forms();

    const std::string& text() const noexcept { return text_; }
    bool is_seasonal() const noexcept { return seasonal_; }
    bool is_dense() const noexcept { return kind_ != Kind::listed && !lag_; }  // every age below W counts
    Index length() const;                                                      // W: ages 0..W-1 may count
    /// How many records the sum covers that a recurrence's `of_sum` refers to; 0: it never does.
    Index summed() const;
    /// w_a = 2 / TV with TV = sum |a_i - a_{i-1}|, the last drop included: w for a box. Of a running mean,
    /// the longest one.
    Real effective_length() const;

    /// The weights by age in round t, from 1; at most length() of them.
    void at(Round t, std::vector<Real>& out) const;
    /// How round t follows from round t-1.
    void follow(Round t, WindowRecurrence& out) const;
    /// Whether at() and follow() depend on t.
    bool varies() const noexcept { return kind_ == Kind::running_mean; }

    /// The weights of Q_{t+1} by age in round t, a forecast record left out; this window being the judge.
    /// A judge that keeps no record at all is modelled by the newest one. Throws ConfigError if the rule does
    /// not fit.
    WindowWeights model(const ModelRule& rule) const;
    /// a_0 of the judge in round t: the weight of the loss to come, and of its forecast.
    Real newest(Round t) const;
    Real mass() const;  // sum a_i of a judge

  private:
    enum class Kind { box, exponential, triangle, running_mean, listed };
    WindowWeights(Kind kind, Index length, Real first) : kind_(kind), length_(length), first_(first) {}

    Index mean_length(Round t) const;  // records a running mean counts in round t
    Real mean_weight(Round t) const;

    Kind kind_;
    Index length_;
    Real first_;                      // a_0, before `lag_`
    Real ratio_ = 1;                  // b of an exponential
    Index keep_ = 1;                  // of a running mean
    Index ahead_ = 0;                 // a running mean's model: the judge is `ahead_` rounds further, and
    bool share_absent_ = false;       // divides by the judge's count, as if the loss to come were 0
    std::optional<WeightedAge> lag_;  // one more record, on top: a seasonal forecast
    std::vector<Real> listed_;
    bool seasonal_ = false;  // more than one lag, and not all of them neighbours
    std::string text_;
};

}  // namespace proxstream
