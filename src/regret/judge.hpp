/// From a tally to its certificate: what each inequality says, and what follows when it fails.
#pragma once

#include "proxstream/regret/tally.hpp"

#include <string>

namespace proxstream {

class Judge {
  public:
    /// The footer belongs to the tally.
    Judge(const Tally& tally, const RunFooter& footer);
    Certificate certificate() const;

  private:
    static void judge(Inequality& inequality);
    static Inequality from(const WorstRound& worst, std::string id, std::string statement);

    // Each settles the verdict and says true where its inequality has nothing to stand on.
    bool nothing_played(Inequality& inequality) const;        // needs at least one round
    bool leaves_domain(Inequality& inequality) const;         // needs objectives, all of them finite
    bool promises_no_decrease(Inequality& inequality) const;  // rests on the rule of the inner steps
    bool promises_no_test(Inequality& inequality) const;      // rests on the exit test

    bool misses_tests() const;
    std::string missed_tests() const;
    /// (sqrt(squares) + sqrt(sum |v_t|^2))^2
    Real with_variation(Real squares) const;
    /// The statement with the window's length as it is called: w, or w_a unless the window is a box.
    std::string with_length(std::string_view for_box, std::string_view otherwise) const;

    Inequality exit_test() const;      // C1
    Inequality firm_bound() const;     // C2
    Inequality path_regret() const;    // C3a
    Inequality minkowski() const;      // C3b
    Inequality a_priori() const;       // C3c
    Inequality decrease() const;       // C4
    Inequality identity() const;       // C5
    Inequality count() const;          // C6
    Inequality path() const;           // C7a
    Inequality active_rounds() const;  // C7b
    Inequality switching() const;      // C7c
    Inequality tracking() const;       // C8
    Inequality confirmations() const;  // C9

    PaperClaim paper_regret() const;
    PaperClaim paper_count() const;
    bool speaks_of_this() const;  // is this the paper's setting?

    void add_energy();
    std::string count_formula() const;
    RunSummary summary() const;
    BankSummary bank_summary() const;

    const Tally& tally_;
    const RunHeader& header_;
    const RunFooter& footer_;
    bool bank_;
    bool outside_ = false;
    Real largest_loss_ = 0;  // M, with the last losses
    Real energy_ = 0;        // E_T
    Real energy_slack_ = 0;
    Real magnitude_ = 0;
};

}  // namespace proxstream
