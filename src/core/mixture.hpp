/// The weights with which an ensemble's members are averaged. Several mixers each keep weights over the
/// members, by rules that differ in what they are good at; AdaShare weighs the mixers. An ensemble and the
/// referee of its certificate run the same rules on the same figures.
#pragma once

#include "proxstream/core/types.hpp"

#include "core/ada_share.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class Spec;

/// ML-Poly: weights in proportion to the positive part of the regret against each member, over the squares
/// of its changes. A round with regrets larger than any before counts only up to the largest seen before.
class PolyWeights {
  public:
    /// `prior`: the weights to begin with, all positive, which also count later on.
    explicit PolyWeights(ConstView prior);

    ConstView weights() const noexcept { return weights_; }
    /// What every member would have saved this round: <p, l> - l(k), or a linear form of it.
    void update(ConstView regrets);
    /// The weights stay; the price counts the regrets in full.
    void leave_out(ConstView regrets);
    /// The sum of all regrets against member k so far is at most this (docs/theory.md, section 14).
    Real price(Index member) const;
    Real largest() const noexcept { return range_; }  // b: the largest regret of a round

    void serialise(StateArchive& archive);

  private:
    std::vector<Real> prior_;  // pi
    std::vector<Real> weights_;
    std::vector<Real> sums_;     // R
    std::vector<Real> squares_;  // V
    Real range_ = 0;             // b
    Real left_out_ = 0;          // sum of the largest regrets of rounds that were left out
    Real growth_ = 0;            // S: what the potential sum pi R+^2 / (V + b^2) can have grown by
};

/// The same shape with forgetting, on losses that are clipped: one extreme round cannot decide for long.
class ClippedWeights {
  public:
    explicit ClippedWeights(ConstView prior);

    ConstView weights() const noexcept { return weights_; }
    void update(ConstView losses);

    void serialise(StateArchive& archive);

  private:
    Real clip();

    std::vector<Real> prior_, weights_, sums_, squares_, excess_;
    Real range_ = 0;             // B, of squares
    Real clip_ = kInfinity;      // c
    std::vector<Real> medians_;  // of the members' excess losses in the last rounds, a ring
    std::vector<Real> sorted_;
    Round round_ = 0;
};

class Mixture {
  public:
    struct Options {
        bool gradients = true;  // mixer 2: competes with every fixed combination of the members' points
        bool clipped = true;    // mixer 3
        bool tracking = false;  // mixer 4: AdaShare over the members, for a bound against switches
        Real switches = 4;

        /// "mean[:mixers=losses/gradients/clipped/tracking,switches=4]"; the mixer of losses is always there.
        static Options parse(const Spec& spec);
        std::string text() const;
    };

    Mixture(const Options& options, Index members);
    /// Begins with weights from before, all of them positive.
    Mixture(const Options& options, ConstView prior);
    /// A mixture whose prior is the present weights, a twentieth of them spread evenly. Past regrets are
    /// forgotten.
    Mixture begun_anew() const;

    Index members() const noexcept { return weights_.size(); }
    Index mixers() const noexcept { return top_.weights().size(); }
    ConstView mixer(Index j) const;                                 // p^j over the members
    ConstView weights() const noexcept { return weights_; }         // P = sum_j q_j p^j
    const AdaShare& top() const noexcept { return top_; }           // q over the mixers
    const PolyWeights& losses() const noexcept { return losses_; }  // mixer 0
    const std::optional<PolyWeights>& gradients() const noexcept { return gradients_; }
    const std::optional<AdaShare>& tracking() const noexcept { return tracking_; }
    /// The place of the gradients' mixer among the mixers; it is there only if gradients() is.
    static constexpr Index kGradients = 1;
    /// The place of the tracking mixer, the last one.
    Index tracking_place() const noexcept { return mixers() - 1; }

    /// l_t(k) of the members; <grad f_t(z), z - x_k> at the gradient mixer's point z, empty where there is no
    /// such mixer; and the losses at the mixers' points.
    struct Figures {
        ConstView losses, slopes, mixer_losses;
    };
    void update(const Figures& round);

    void serialise(StateArchive& archive);

  private:
    void combine();

    Options options_;
    PolyWeights losses_;
    std::optional<PolyWeights> gradients_;
    std::optional<ClippedWeights> clipped_;
    std::optional<AdaShare> tracking_;
    AdaShare top_;
    std::vector<Real> weights_;
    std::vector<Real> regrets_;
};

}  // namespace proxstream
