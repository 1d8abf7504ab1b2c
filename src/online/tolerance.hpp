/// How close to stationary a round has to end: rho_t = delta_t / w.
#pragma once

#include "proxstream/core/types.hpp"

#include "online/recent_median.hpp"

#include <optional>
#include <string_view>

namespace proxstream {

class StateArchive;

/// Either a fixed delta, or a multiple of the median change that recent losses made to the stationarity gap.
/// It is tight enough to follow the stream, loose enough that an ordinary loss leaves the decision alone. The
/// certificate takes any sequence of tolerances, so adapting costs no proof.
class Tolerance {
  public:
    static Tolerance fixed(Real delta);
    /// `factor` times the median of the last kMemory changes, but no less than kFloor times their mean;
    /// factor 0 picks a default by the window's length. Without the floor a window that can be
    /// fitted perfectly would shrink its own tolerance too fast: smaller gaps, smaller changes, smaller
    /// tolerance. The mean is that of the same changes. One over the whole run would let the large changes of
    /// the first rounds keep the tolerance loose for hundreds of rounds.
    static Tolerance automatic(Real factor = 0);
    /// A number (delta), "auto" or "auto:FACTOR". Throws ConfigError.
    static Tolerance parse(std::string_view text);
    /// No test is promised: every round works until its budget ends.
    static Tolerance none();

    /// How an automatic tolerance begins. The first change is the stationarity gap of the start itself, since
    /// no loss was there before.
    enum class Start {
        gradual,  ///< it counts like the others: windows of 16 and more begin to move after a few losses
        solve,    ///< it is not remembered and its round works to kFirst times it; then the default factor
                  ///< goes by the number of losses in the window until it is full
    };
    /// The same tolerance with another start. `solve` is for losses that nearly determine the decision one by
    /// one, as a demand does the splits of a network. To solve for the first rows of a table would fit models
    /// to fewer rows than they have coefficients.
    Tolerance starting(Start start) const;
    Start start() const noexcept { return start_; }

    bool promises_exit() const noexcept { return kind_ != Kind::none; }
    /// delta, where it is fixed.
    std::optional<Real> fixed_delta() const {
        return kind_ == Kind::fixed ? std::optional(value_) : std::nullopt;
    }

    /// rho_t for this round of a window of effective length w_a. `change` is |P(x_t; grad S_t) - P(x_t; grad
    /// S_{t-1})|, 0 where rounding hides it. A penalty that holds the point still says nothing about the
    /// scale of losses, so such a change is not remembered.
    Real next(Real length, Real change);
    /// What the rounds so far ask for, without a change of a new one.
    Real current(Real length) const;
    /// Forgets the last call of next(), for a round that was refused after it.
    void rollback();

    void serialise(StateArchive& archive);

  private:
    enum class Kind { fixed, automatic, none };
    static constexpr Index kMemory = 200;
    static constexpr Real kFloor = 0.25;
    static constexpr Real kFirst = 0.003;  // tight, since equal losses change nothing after it
    explicit Tolerance(Kind kind, Real value)
        : kind_(kind), value_(value), recent_(kind == Kind::automatic ? kMemory : 0) {}
    void remember(Real change);
    static Real usual_factor(Real length);
    Real factor(Real length) const;

    Kind kind_;
    Real value_;  // delta or the factor
    Start start_ = Start::gradual;
    Real first_ = 0;       // the first change, for Start::solve; 0: none yet
    RecentMedian recent_;  // of the changes, without first_
    Real sum_ = 0;         // of those in recent_
    Real sum_before_ = 0;
    Round count_ = 0;        // changes remembered so far, those that recent_ has dropped included
    Real overwritten_ = -1;  // what the last next() replaced in recent_; negative: nothing
    bool counted_ = false;   // did the last next() see a change?
};

}  // namespace proxstream
