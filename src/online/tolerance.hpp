/// How close to stationary a round has to end: rho_t = delta_t / w.
#pragma once

#include "proxstream/core/types.hpp"

#include "online/recent_median.hpp"

#include <optional>
#include <string_view>

namespace proxstream {

class Checkpoint;

/// Either a fixed delta, or a multiple of the median change that recent losses made to the residual: tight
/// enough to follow the stream, loose enough that an ordinary loss leaves the decision alone. The certificate
/// takes any sequence of tolerances, so adapting costs no proof.
class Tolerance {
  public:
    static Tolerance fixed(Real delta);
    /// `factor` times the median over the last kMemory rounds, but no less than kFloor times the mean over
    /// the run; factor 0 picks a default by the window's length. Without the floor a window that can be
    /// fitted perfectly would shrink its own tolerance to nothing: smaller residuals, smaller changes,
    /// smaller tolerance.
    static Tolerance automatic(Real factor = 0);
    /// A number (delta), "auto" or "auto:FACTOR". Throws ConfigError.
    static Tolerance parse(std::string_view text);
    /// No test is promised: every round works until its budget ends.
    static Tolerance none();

    bool promises_exit() const noexcept { return kind_ != Kind::none; }
    /// delta, where it is fixed.
    std::optional<Real> fixed_delta() const {
        return kind_ == Kind::fixed ? std::optional(value_) : std::nullopt;
    }

    /// rho_t for this round of a window of effective length w_a. `change` is |P(x_t; grad S_t) - P(x_t; grad
    /// S_{t-1})|, 0 where rounding hides it: a penalty that holds the point still says nothing about the
    /// scale of losses, and is not remembered.
    Real next(Real length, Real change);
    /// What the rounds so far ask for, without a change of a new one.
    Real current(Real length) const;
    /// Forgets the last call of next(), for a round that was refused after it.
    void take_back();

    void exchange(Checkpoint& checkpoint);

  private:
    enum class Kind { fixed, automatic, none };
    static constexpr Index kMemory = 200;
    static constexpr Real kFloor = 0.25;
    explicit Tolerance(Kind kind, Real value)
        : kind_(kind), value_(value), recent_(kind == Kind::automatic ? kMemory : 0) {}
    void remember(Real change);
    static Real usual_factor(Real length);

    Kind kind_;
    Real value_;           // delta or the factor
    RecentMedian recent_;  // of the last changes
    Real total_ = 0;       // of all changes so far
    Real total_before_ = 0;
    Round rounds_ = 0;
    Real overwritten_ = -1;    // what the last next() replaced; negative: nothing
    bool remembered_ = false;  // did the last next() add to the memory?
};

}  // namespace proxstream
