/// How much each record counts. A window is S_t = sum_i a_i f_{t-i} with weights a_i >= 0 by age i, of mass
/// at most 1 and zero from some age on. A running mean changes its weights from round to round.
///
/// The weights decide what a quiet round costs: most windows follow from the one before by a short recurrence
///   S_t = keep S_{t-1} + sum of a few single records (+ a multiple of the sum of the last W),
/// so their gradient can be carried along without a pass over the store.
#pragma once

#include "window/forecast_rule.hpp"
#include "window/window_form.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// A window of any form, and perhaps one record more on top: a seasonal forecast.
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
    static std::span<const WindowUsage> forms();

    const std::string& text() const noexcept { return text_; }
    /// W: ages 0..W-1 may count.
    Index length() const;
    /// The weights by age in round t, from 1; at most length() of them.
    void at(Round t, std::vector<Real>& out) const;
    /// How round t follows from round t-1.
    void follow(Round t, WindowRecurrence& out) const;
    /// See WindowForm.
    Index summed() const { return form_->summed(); }
    bool varies() const { return form_->varies(); }
    bool is_dense() const { return form_->is_dense() && !lag_; }

    // Of a reference window.
    bool is_seasonal() const { return form_->is_seasonal(); }
    Real effective_length() const { return form_->effective_length(); }  // w_a
    Real newest(Round t) const { return form_->newest(t); }              // a_0
    Real mass() const { return form_->mass(); }                          // sum a_i

    /// The weights of Q_{t+1} by age in round t, a forecast record left out; this is the reference window. If
    /// that keeps no record at all, the rule `mean` takes the newest one. Throws ConfigError if the rule does
    /// not fit.
    WindowWeights forecast_window(const ForecastRule& rule) const;

  private:
    WindowWeights(std::shared_ptr<const WindowForm> form, std::string text)
        : form_(std::move(form)), text_(std::move(text)) {}

    std::shared_ptr<const WindowForm> form_;
    std::optional<WeightedAge> lag_;
    std::string text_;
};

}  // namespace proxstream
