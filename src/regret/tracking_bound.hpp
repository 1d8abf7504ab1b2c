/// What weights over the members of an ensemble cost against the best sequence of members in hindsight,
/// measured on the run (AdaShare's theorem; docs/certificate.md).
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "regret/compensated_sum.hpp"
#include "regret/worst_round.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// For all losses l_t(k) and every sequence of members with at most S switches, weights updated by
/// q ~ p_t e^{-eps_t l_t}, p_{t+1} = (1 - al_t) q + al_t / K from p_1 = 1/K satisfy
///   sum <p_t, l_t> <= sum l_t(k*_t) + (S+1) ln(K/al) / eps_T + sum ln(1/(1-al_t)) / eps_t + D_T
/// while eps_t falls; D_T = sum <p_t, l_t> - m_t with the mix loss m_t = -(1/eps_t) ln <p_t, e^{-eps_t l_t}>.
/// Memory and time a round do not depend on T.
class TrackingBound {
  public:
    static constexpr Index kMostSwitches = 4;  // S

    /// What the weights saw of a round, and the rate and the share of the update after it.
    struct Step {
        ConstView weights, losses;
        Real rate = 0;
        Real share = 0;
    };

    explicit TrackingBound(Index members);
    void add(Round round, const Step& step);
    void serialise(StateArchive& archive);

    struct Side {
        Index switches = 0;
        Real best = 0;   // the least total loss with so many switches
        Real price = 0;  // what the theorem adds to it
    };
    /// The S with the smallest right side; empty where the weights promise nothing, see `unrated`.
    std::optional<Side> tightest() const;
    /// Least total loss of a sequence of members with at most so many switches.
    Real best(Index switches) const;
    Real weighted_loss() const { return weighted_.value(); }  // sum <p_t, l_t>
    Real gap() const { return gap_.value(); }                 // D_T
    Real slack() const;
    /// What the theorem adds to the loss of a sequence with so many switches; empty: it does not apply.
    std::optional<Real> price(Index switches) const;

    Occurrences unrated;   // rounds whose weights follow no rule
    Occurrences outside;   // rounds with an infinite loss: they are left out
    Occurrences off_rule;  // rounds whose weights are not those the rule gives
    Occurrences rising;    // rounds with a larger rate than before

  private:
    Real mix(const Step& step);
    void check_weights(Round round, const Step& step);
    void add_best();

    Index members_;
    std::vector<Real> losses_;          // l_t
    std::vector<Real> expected_;        // p_{t+1} by the rule; empty: the rule does not say
    std::vector<Real> logarithms_;      // ln of them, before anything is shared
    std::vector<CompensatedSum> best_;  // for S = 0.., ending with member k
    CompensatedSum weighted_, gap_;
    CompensatedSum leak_;  // sum ln(1/(1-al_t)) / eps_t
    Real slack_ = 0;
    Real smallest_share_ = 1;
    Real inverse_rate_ = 0;   // 1/eps of the round before
    Real inverse_rates_ = 0;  // 1/eps_1 and all its rises: 1/eps_T while eps_t falls
    bool started_ = false;
    bool constant_rate_ = true;
};

}  // namespace proxstream
