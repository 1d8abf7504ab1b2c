/// What a game proves: of every player its own certificate, and of all together that their play was a
/// smoothed local equilibrium, round by round (docs/games.md).
///
/// R_i is player i's residual against the mean of its last w costs. None of this says that a joint play is
/// an equilibrium of the game by itself: what was measured of that stands beside it and is not claimed.
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// A bound D on a player's variation that holds in every round, and who says so.
struct VariationBound {
    Real variation = 0;
    bool proved = false;  // by the game's own constants; else it was found by trial and may be exceeded
    std::string origin;   // in words

    friend bool operator==(const VariationBound&, const VariationBound&) = default;
};

/// What a game states before its first round, beside its players' headers.
struct GameRules {
    std::string game;
    std::optional<Real> epsilon;                            // wanted: R_i^2 <= epsilon of every player
    std::vector<std::optional<VariationBound>> variations;  // D_i, where somebody knows one

    friend bool operator==(const GameRules&, const GameRules&) = default;
};

/// What somebody measured who sees the game itself; NaN: nobody did.
struct GameMeasures {
    Real instant_last = 0;      // max over players of the residual of the last play alone
    Real instant_smallest = 0;  // over the rounds measured
    Real instant_largest = 0;
    Real instant_median = 0;
    Real gain_last = 0;  // sum over players of what a best response to the last play would save
    bool gain_exact = false;

    friend bool operator==(const GameMeasures&, const GameMeasures&) = default;
};

/// NaN: its gradients are sampled, and nobody measured exact ones.
struct GamePlayerSummary {
    Real largest_residual = 0;  // R_i from the second round on
    Real last_residual = 0;
    Real largest_variation = 0;  // d_i
    Real promised = 0;           // most an exit test has left: (delta + sigma) / w_a

    friend bool operator==(const GamePlayerSummary&, const GamePlayerSummary&) = default;
};

struct GameCertificate {
    GameRules rules;
    std::vector<Certificate> players;
    std::vector<GamePlayerSummary> summaries;
    Round rounds = 0;
    Round refused = 0;
    Round unpromised = 0;  // rounds from the second on in which some player's bound was not promised
    Real largest_gap = 0;  // max over players and rounds from the second on of R_i; NaN: not measured
    Round largest_gap_round = 0;
    Real last_gap = 0;
    std::vector<Inequality> inequalities;  // G1 to G4
    PaperClaim paper;                      // its theorem on games
    std::optional<GameMeasures> measures;

    /// No inequality is violated, here or in a player's own.
    bool sound() const;
    /// Throws Error if there is no such inequality.
    const Inequality& at(std::string_view id) const;

    friend bool operator==(const GameCertificate&, const GameCertificate&) = default;
};

/// A block for a terminal, at most 100 columns. Players' own certificates are summarised in a line each.
std::string to_text(const GameCertificate& certificate);
std::string to_json(const GameCertificate& certificate);

/// The certificate of a stored game, from the ledgers of its players in their order. Throws DataError if they
/// are not of one game. What was measured from outside is not in them.
GameCertificate certify_game(const std::vector<std::string>& ledgers);
/// The same for ledgers that are open and not yet read past their headers; `names` stand for them in
/// messages.
GameCertificate certify_game(std::vector<LedgerReader>& ledgers, const std::vector<std::string>& names);

/// How rules travel in the headers of the players' ledgers.
void note_rules(const GameRules& rules, Index player, RunHeader& header);

}  // namespace proxstream
