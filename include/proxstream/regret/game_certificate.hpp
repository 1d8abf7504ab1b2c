/// What a game proves: the certificate of every player, and that every round was a smoothed local equilibrium
/// (docs/games.md).
///
/// R_i is player i's stationarity gap for the mean of its last w costs. None of this says that the players'
/// points are an equilibrium of the game itself: measurements of that are reported beside it, without a
/// claim.
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// A bound D on a player's variation d_t in every round, and where it comes from. Inequality G2 checks it;
/// the window that guarantees an accuracy is computed from it.
///
/// \code
/// const VariationBound bound{.variation = 0.3, .proved = false, .origin = "a trial of 200 rounds"};
/// GameRules rules{.game = "rps", .epsilon = 0.01, .variations = {bound, bound}};
/// \endcode
struct VariationBound {
    Real variation = 0;  ///< D
    /// It follows from the game's constants; else it was found by trial and may be exceeded.
    bool proved = false;
    std::string origin;  ///< where it comes from, in words

    friend bool operator==(const VariationBound&, const VariationBound&) = default;
};

/// What a game states before its first round, in addition to the headers of its players: its name, the
/// accuracy wanted and bounds on variations. The ledgers of the players store it.
///
/// \code
/// GameRules rules{.game = "rps", .epsilon = 0.01, .variations = {}};
/// rules.variations.resize(2);  // two players, no bound known
/// \endcode
struct GameRules {
    std::string game;             ///< name of the game
    std::optional<Real> epsilon;  ///< accuracy wanted: R_i^2 <= epsilon for every player
    std::vector<std::optional<VariationBound>> variations;  ///< D_i of each player, if one is known

    friend bool operator==(const GameRules&, const GameRules&) = default;
};

/// What was measured of the game itself, outside the certificate: gaps of single joint plays and gains of
/// best responses. Figures that were not measured are NaN.
///
/// \code
/// if (certificate.measures)
///     std::cout << "gap of the last play alone: " << certificate.measures->instant_last << '\n';
/// \endcode
struct GameMeasures {
    Real instant_last = 0;      ///< largest gap of a player for the last joint play alone
    Real instant_smallest = 0;  ///< smallest such figure over the rounds measured
    Real instant_largest = 0;   ///< largest such figure over the rounds measured
    Real instant_median = 0;    ///< median of such figures over the rounds measured
    Real gain_last = 0;         ///< sum over players of the gain of a best response to the last joint play
    bool gain_exact = false;    ///< whether best responses were computed exactly

    friend bool operator==(const GameMeasures&, const GameMeasures&) = default;
};

/// The figures of one player over a game. They are NaN if the player's gradients are sampled and exact ones
/// were not measured.
///
/// \code
/// for (const GamePlayerSummary& player : certificate.summaries)
///     std::cout << player.largest_gap << '\n';
/// \endcode
struct GamePlayerSummary {
    Real largest_gap = 0;        ///< largest R_i from the second round on
    Real last_gap = 0;           ///< R_i of the last round
    Real largest_variation = 0;  ///< largest d_i
    Real promised = 0;           ///< largest gap that an exit test allows: (delta + sigma) / w_a

    friend bool operator==(const GamePlayerSummary&, const GamePlayerSummary&) = default;
};

/// What a game proved: the certificate of every player, and inequalities G1 to G4 of docs/games.md, which say
/// that every round was a smoothed local equilibrium. This is not a Nash equilibrium of the game.
///
/// \code
/// const GameCertificate certificate = certify_game({"left.jsonl", "right.jsonl"});
/// std::cout << to_text(certificate) << certificate.at("G1").ratio() << '\n';
/// \endcode
/// Example: examples/09_game.cpp
struct GameCertificate : CertificateLines {
    GameRules rules;                           ///< what the game stated before its first round
    std::vector<Certificate> players;          ///< the certificate of each player
    std::vector<GamePlayerSummary> summaries;  ///< figures of each player
    Round rounds = 0;                          ///< T
    Round refused = 0;                         ///< rounds refused because a cost was not finite
    Round unpromised = 0;  ///< rounds from the second on in which the bound of some player was not promised
    Real largest_gap = 0;  ///< largest R_i over players and rounds from the second on; NaN: not measured
    Round largest_gap_round = 0;           ///< the round of that gap
    Real last_gap = 0;                     ///< largest R_i of the last round
    std::optional<GameMeasures> measures;  ///< measurements of the game itself

    /// Whether no inequality is violated, here or in a player's certificate.
    bool sound() const;

    friend bool operator==(const GameCertificate&, const GameCertificate&) = default;
};

/// The certificate as text for a terminal, at most 100 columns wide. Each player's own certificate is
/// summarised in one line.
std::string to_text(const GameCertificate& certificate);
/// The certificate as JSON.
std::string to_json(const GameCertificate& certificate);

/// The certificate of a stored game, from the ledgers of its players in their order. Throws DataError if they
/// are not of one game. GameCertificate::measures is not stored in ledgers.
GameCertificate certify_game(const std::vector<std::string>& ledgers);
/// The same for ledgers that are open and not yet read past their headers; `names` stand for them in
/// messages.
GameCertificate certify_game(std::vector<LedgerReader>& ledgers, const std::vector<std::string>& names);

/// Writes the rules into the header of a player's ledger, from which certify_game reads them.
void note_rules(const GameRules& rules, Index player, RunHeader& header);

}  // namespace proxstream
