/// C8 of an ensemble that plays a mean: the loss of the decisions against every member's, plus the price of
/// the weights, measured on the run (docs/theory.md, section 14). The weights are computed again from the
/// losses.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/mixture.hpp"
#include "regret/compensated_sum.hpp"
#include "regret/tracking_bound.hpp"
#include "regret/worst_round.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// With p and q the weights of the mixer of losses and of the mixers, z_j the mixers' points and L = f_t + g:
///   sum L(mean) = sum <q, L(z)> + J',   sum <q, L(z)> <= sum L(z_0) + price of q,
///   sum L(z_0) = sum <p, l> + J,        sum <p, l> <= sum l(k) + price of p against k,
/// for every member k. J and J' are measured with their sign; for convex losses they are not positive.
class MixtureBound {
  public:
    /// `fresh`: the run begins with even weights; else those of its first round are taken as they are.
    MixtureBound(const Mixture::Options& options, Index members, bool fresh);
    /// `played`: f_t + g at the mean. Throws DataError if the figures are not those of such an ensemble.
    void add(Round round, const EnsembleRound& ensemble, Real played);
    void serialise(StateArchive& archive);

    struct Side {
        Real left = 0;
        Real right = 0;
        Real slack = 0;
        Index member = 0;  // where the two sides are closest
        Real best = 0;     // the comparator's loss
    };
    /// Against the member with the least right side.
    Side against_members() const;
    /// sum <grad f_t(z), z - x_k> against its price, for the member where they are closest; empty: there is
    /// no mixer of gradients.
    std::optional<Side> against_slopes() const;
    /// Against sequences of members; `switches` of the one with the least right side. Empty: there is no
    /// tracking mixer.
    struct Tracked : Side {
        Index switches = 0;
    };
    std::optional<Tracked> against_sequences() const;

    Real curving() const { return inner_gaps_.value() + outer_gaps_.value(); }  // J + J'

    Occurrences off_rule;  // rounds whose weights are not those the rules give

  private:
    void check(const EnsembleRound& ensemble) const;
    void begin(Round round, const EnsembleRound& ensemble);
    Real rounding(Real price) const;

    Mixture::Options options_;
    bool fresh_;
    Mixture mixture_;
    TrackingBound top_;                      // of q
    std::optional<TrackingBound> tracking_;  // of the tracking mixer
    CompensatedSum played_, inner_gaps_, outer_gaps_, tracked_gaps_;
    std::vector<CompensatedSum> losses_;  // of every member
    std::vector<CompensatedSum> slopes_;
    std::vector<Real> shares_;  // q of the round at hand
    std::vector<Real> tracked_;
    Real slack_ = 0;
    Round rounds_ = 0;
};

}  // namespace proxstream
