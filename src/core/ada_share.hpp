/// AdaShare: weights over a few choices that track the best one through switches. No scale and no horizon has
/// to be set (docs/theory.md, section 14).
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

class StateArchive;

class AdaShare {
  public:
    /// Shares begin at one in so many: larger ones would give weight to bad choices in the first rounds.
    static constexpr Real kGracePeriod = 1000;
    /// The share of the first update, the largest one.
    static constexpr Real kFirstShare = 1 / (1 + kGracePeriod);

    /// `switches`: the rate is set for so many switches of the best choice.
    AdaShare(Index choices, Real switches);
    /// Starts from the weights `prior`, each at least kFirstShare / K.
    AdaShare(ConstView prior, Real switches);

    ConstView weights() const noexcept { return weights_; }  // p_t
    /// eps_t and al_t of the last update: p ~ p exp(-eps l), then the share al is spread evenly.
    Real rate() const noexcept { return scale_ > 0 ? 1 / scale_ : 0; }
    Real share() const noexcept { return share_; }

    /// Moves the weights by the losses of every choice, which are finite.
    void update(ConstView losses);
    /// The same update with a rate and a share that are given.
    void update(ConstView losses, Real rate, Real share);
    /// Gives all weight to one choice.
    void choose(Index choice);

    void serialise(StateArchive& archive);

  private:
    void move(ConstView losses);

    Real switches_;
    std::vector<Real> weights_;
    std::vector<Real> logarithms_;  // ln p: a weight too small for a double may come back
    Real mixability_ = 0;           // D: sum of <p, l> - m
    Real scale_ = 0;                // 1 / eps, never falling
    Real share_ = 0;
    Round round_ = 0;
};

}  // namespace proxstream
