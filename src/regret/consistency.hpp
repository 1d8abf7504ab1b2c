/// C0: figures of a row that follow from each other, and from the row before, for every learner and loss. A
/// ledger whose figures were changed one by one violates some of these rules.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/gap_sums.hpp"
#include "regret/worst_round.hpp"

#include <string_view>
#include <vector>

namespace proxstream {

class Consistency {
  public:
    explicit Consistency(const RunHeader& header);

    /// `report` has the referee's rounding bounds; `from` is the state in which the learner left x_t.
    void add(const RunHeader& rules, const RoundReport& report, const Departure& from);
    void serialise(StateArchive& archive);

    struct Contradiction {
        std::string_view keys;  // of the ledger
        std::string_view rule;  // that does not hold
        const Occurrences& rounds;
    };
    /// The broken rules.
    std::vector<Contradiction> contradictions() const;
    Round checked() const { return checked_; }

  private:
    void add_gaps(const RunHeader& rules, const RoundReport& report, const Departure& from);
    void add_objectives(const RunHeader& rules, const RoundReport& report);
    void add_distances(const RunHeader& rules, const RoundReport& report);

    bool measured_;  // whether exact figures were measured
    bool previous_;  // the forecast is the reference window
    bool plain_;     // which is a plain mean of w losses

    Occurrences split_;         // R and Rq differ although the windows are the same
    Occurrences low_entry_;     // R below r_{t-1} - |v_t|
    Occurrences model_;         // Rq further from r_{t-1} than the forecast changed
    Occurrences jump_;          // Pe is not the Px before, plus x
    Occurrences value_change_;  // x is not (f - fo) / w
    Occurrences path_;          // longer than its steps and gaps allow
    Occurrences norm_;          // |x_t| changed by more than the move

    Round checked_ = 0;
    Real objective_;            // Px of the round before; at first that of the start
    Real objective_slack_ = 0;  // its rounding
    Real point_norm_ = 0;       // |x_t| and the move of the round before
    Real movement_ = 0;
};

}  // namespace proxstream
