/// Gathers the rounds of a game into the sums of its certificate. It has a tally for each player, and figures
/// of a round that concern all players.
#pragma once

#include "proxstream/regret/game_certificate.hpp"

#include "regret/tally.hpp"

#include <span>
#include <vector>

namespace proxstream {

class GameTally {
  public:
    /// One header for each player. Throws ConfigError if one is invalid.
    GameTally(GameRules rules, const std::vector<RunHeader>& headers);

    /// The players' reports of one round: all refused, or none. Throws DataError otherwise.
    void add(std::span<const RoundReport> reports, std::span<const RowExtras> extras = {});

    const Tally& player(Index i) const { return seats_[i].tally; }
    Index players() const noexcept { return seats_.size(); }
    /// The bound on R_i of the last round: (delta + sigma + d_t) / w_a. NaN if nothing was promised.
    Real bound(Index player) const { return seats_[player].bound; }

    GameCertificate certificate(std::span<const RunFooter> footers) const;

    /// Between two rounds, of the same players.
    void serialise(StateArchive& archive);

  private:
    struct Seat {
        explicit Seat(const RunHeader& stated) : header(stated), tally(stated) {}

        RunHeader header;
        Tally tally;
        Departure left;         // how the player left its point
        bool promised = false;  // and an exit test promised it
        Real bound = 0;
        Real last_gap = 0;
        WorstRound variation;  // G2
        Real largest_gap = 0, largest_variation = 0, largest_promise = 0;
        // Over the rounds in which all windows are full.
        CompensatedSum promises, changes;

        void serialise(StateArchive& archive);
    };
    /// False: its bound of this round was not promised.
    bool add_player(Seat& seat, const RoundReport& report);
    Inequality every_round() const;
    Inequality bounded_variation() const;
    Inequality accuracy() const;
    Inequality some_round() const;
    PaperClaim paper() const;
    Real derived_epsilon() const;

    GameRules rules_;
    std::vector<Seat> seats_;
    Index longest_ = 1;          // window
    Real largest_rounding_ = 0;  // of a gap, over players and rounds
    Round rounds_ = 0;
    Round refused_ = 0;
    WorstRound every_round_;  // G1
    Index worst_player_ = 0;  // where it was tightest
    Occurrences unpromised_;  // rounds in which some player's bound was not promised
    Occurrences unmeasured_;  // rounds in which some player's gap is not known
    Real largest_gap_ = 0, last_gap_ = 0;
    Round largest_gap_round_ = 0;
    Real smallest_sum_ = kInfinity;  // of R_i^2 over the players, in rounds all windows are full in
    Round smallest_round_ = 0;
    Round full_rounds_ = 0;
};

}  // namespace proxstream
