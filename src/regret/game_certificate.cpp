#include "proxstream/regret/game_certificate.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include "regret/game_tally.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::string_view kGame = "game-rules";
constexpr std::string_view kSeat = "game-player";
constexpr std::string_view kEpsilon = "game-epsilon";
constexpr std::string_view kVariation = "game-variation";
constexpr std::string_view kOrigin = "game-variation-origin";
constexpr std::string_view kProved = "game-variation-proved";

std::optional<std::string> setting(const RunHeader& header, std::string_view name) {
    for (const auto& [key, value] : header.settings) {
        if (key == name) return value;
    }
    return std::nullopt;
}

/// The rules as the players' headers have them. Throws DataError if the headers are not of one game.
GameRules rules_of(const std::vector<std::string>& ledgers, const std::vector<RunHeader>& headers) {
    GameRules rules;
    for (Index i = 0; i < headers.size(); ++i) {
        const auto refuse = [&](const std::string& problem) {
            throw DataError({.source = ledgers[i], .line = 1, .column = 0, .field = ""}, problem,
                            "the ledgers of one game, in the order of its players");
        };
        const auto game = setting(headers[i], kGame);
        const auto seat = setting(headers[i], kSeat);
        if (!game || !seat) refuse("this is no player's ledger");
        if (i == 0) rules.game = *game;
        const std::string expected = fmt::format("{}/{}", i + 1, headers.size());
        if (*game != rules.game || *seat != expected)
            refuse(fmt::format("player {} of '{}' where player {} of '{}' was expected", *seat, *game,
                               expected, rules.game));
        if (const auto epsilon = setting(headers[i], kEpsilon))
            rules.epsilon = parse_real(*epsilon, kEpsilon);
        rules.variations.emplace_back();
        if (const auto variation = setting(headers[i], kVariation)) {
            rules.variations.back() = {.variation = parse_real(*variation, kVariation),
                                       .proved = setting(headers[i], kProved) == "true",
                                       .origin = setting(headers[i], kOrigin).value_or("")};
        }
    }
    return rules;
}

}  // namespace

bool GameCertificate::sound() const {
    const auto broken = [](const Inequality& each) { return each.verdict == Verdict::violated; };
    return std::none_of(inequalities.begin(), inequalities.end(), broken) &&
           std::all_of(players.begin(), players.end(), [](const Certificate& each) { return each.sound(); });
}

const Inequality& GameCertificate::at(std::string_view id) const {
    for (const Inequality& each : inequalities) {
        if (each.id == id) return each;
    }
    throw Error("a game's certificate has no inequality '" + std::string(id) + "'");
}

void note_rules(const GameRules& rules, Index player, RunHeader& header) {
    header.settings.emplace_back(kGame, rules.game);
    header.settings.emplace_back(kSeat, fmt::format("{}/{}", player + 1, rules.variations.size()));
    if (rules.epsilon) header.settings.emplace_back(kEpsilon, format_short(*rules.epsilon));
    if (const auto& bound = rules.variations[player]) {
        header.settings.emplace_back(kVariation, format_short(bound->variation));
        header.settings.emplace_back(kProved, bound->proved ? "true" : "false");
        header.settings.emplace_back(kOrigin, bound->origin);
    }
}

GameCertificate certify_game(const std::vector<std::string>& ledgers) {
    std::vector<LedgerReader> readers;
    for (const std::string& path : ledgers) readers.emplace_back(path);
    return certify_game(readers, ledgers);
}

GameCertificate certify_game(std::vector<LedgerReader>& readers, const std::vector<std::string>& ledgers) {
    std::vector<RunHeader> headers;
    for (const LedgerReader& reader : readers) headers.push_back(reader.header());
    GameTally tally(rules_of(ledgers, headers), headers);
    std::vector<RoundReport> reports(readers.size());
    std::vector<RowExtras> extras(readers.size());
    for (;;) {
        Index open = 0;
        for (LedgerReader& reader : readers) open += reader.next() ? 1U : 0U;
        if (open == 0) break;
        if (open < readers.size()) {
            throw DataError({.source = ledgers.front(), .line = 0, .column = 0, .field = ""},
                            "the players' ledgers have different numbers of rounds", "");
        }
        for (Index i = 0; i < readers.size(); ++i) {
            reports[i] = readers[i].report();
            extras[i] = readers[i].extras();
        }
        tally.add(reports, extras);
    }
    std::vector<RunFooter> footers;
    footers.reserve(readers.size());
    for (const LedgerReader& reader : readers) footers.push_back(reader.footer());
    return tally.certificate(footers);
}

}  // namespace proxstream
