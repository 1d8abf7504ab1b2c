/// From a tally to its certificate: what each inequality says, and what follows when it fails.
#pragma once

#include "regret/claim.hpp"
#include "regret/tally.hpp"

#include <string>
#include <vector>

namespace proxstream {

class CertificateBuilder {
  public:
    /// The footer belongs to the tally.
    CertificateBuilder(const Tally& tally, const RunFooter& footer);
    Certificate certificate() const;

  private:
    // Each sets a verdict without sides and returns true if the line cannot be checked.
    bool nothing_played(Claim& line) const;        // needs at least one round
    bool leaves_domain(Claim& line) const;         // needs objectives, all of them finite
    bool promises_no_decrease(Claim& line) const;  // rests on the rule of the inner steps
    bool promises_no_test(Claim& line) const;      // rests on the exit test
    bool unmeasured(Claim& line) const;            // needs figures of exact gradients
    bool unclaimed(Claim& line) const;             // rests on a sigma
    /// The line needs |e| <= s_t; `in_the_mean` says why a bound in the mean is not enough.
    bool unsure(Claim& line, std::string_view in_the_mean) const;
    /// Refuses levels that the header does not cover.
    bool off_level(Claim& line) const;

    bool misses_tests() const;
    std::string missed_tests() const;
    /// (sqrt(squares) + sqrt(sum |v_t|^2))^2
    Real with_variation(Real squares) const;
    /// The statement with the window's length as it is called: w, or w_a unless the window is a box.
    std::string with_length(std::string_view for_box, std::string_view otherwise) const;

    Inequality consistency() const;           // C0
    Inequality exit_test() const;             // C1
    Inequality firm_bound() const;            // C2
    Inequality path_regret() const;           // C3a
    Inequality minkowski() const;             // C3b
    Inequality a_priori() const;              // C3c
    Inequality decrease() const;              // C4
    Inequality identity() const;              // C5
    Inequality count() const;                 // C6
    Inequality path() const;                  // C7a
    Inequality active_rounds() const;         // C7b
    Inequality switching() const;             // C7c
    Inequality tracking() const;              // C8, where members are drawn
    std::vector<Inequality> mixture() const;  // C8 to C8c, where their mean is played
    bool false_losses(Claim& line) const;     // refuses losses that differ from the reports'
    Inequality confirmations() const;         // C9
    Inequality entry_bound() const;           // C10
    Inequality one_run() const;               // C11
    Inequality mean_count() const;            // C12
    Inequality claimed_noise() const;         // C13
    bool noise_strays() const;                // there was more noise than chance explains

    PaperClaim paper_regret() const;
    PaperClaim paper_count() const;
    PaperClaim paper_noisy_regret() const;
    PaperClaim paper_ending() const;
    PaperClaim paper_noisy_count() const;
    bool speaks_of_this() const;   // whether this is the paper's setting
    bool speaks_of_noise() const;  // and its second algorithm

    /// sum_t N_t (a tau_t^2 - b s_t^2) <= right in the mean. tau_t and s_t are known before a round
    /// draws its samples, so the proofs for one round add up.
    struct MeanBound {
        Real a, b, right;
        std::string formula;  // of the bound on N, where they are constant
    };
    MeanBound young_bound() const;  // (C-i), for m > 1 (D-conf); needs c^2 tau_t^2 > m s_t^2
    MeanBound sharp_bound()
        const;  // (C-ii), m = 1; needs c tau_t^2 > s_t^2 and rounds that end by their test

    void add_energy();
    /// The reason if E_T is less than it should be.
    std::string_view broken_energy() const;
    std::string count_formula() const;
    Real sigma() const { return *header_.noise->sigma; }
    Real descent() const { return header_.fixed_gain() / header_.reference_step; }  // c = 1 - eta L/2
    /// delta > sigma/(share theta) makes share tau_t > s_t, the target gap being theta delta/w_a.
    Real smallest_delta(Real share) const { return sigma() / (share * header_.hysteresis); }
    std::string endless() const;  // why rounds need not end; empty if they do
    std::string uncounted() const;
    RunSummary summary() const;
    NoiseSummary noise_summary() const;
    EnsembleSummary ensemble_summary() const;

    const Tally& tally_;
    const RunHeader& header_;
    const RunFooter& footer_;
    bool ensemble_;
    bool outside_ = false;
    Real largest_loss_ = 0;  // M, with the last losses
    Real energy_ = 0;        // E_T
    Real energy_slack_ = 0;
    Real magnitude_ = 0;
};

}  // namespace proxstream
