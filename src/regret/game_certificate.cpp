#include "proxstream/regret/game_certificate.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include "regret/certificate_json.hpp"
#include "regret/certificate_text.hpp"
#include "regret/game_tally.hpp"

#include <algorithm>
#include <cmath>

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

/// The rules in the players' headers. Throws DataError if the headers are not of one game.
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

/// How many of a player's own inequalities hold, and what is broken.
std::string own_verdict(const Certificate& player) {
    Index holds = 0;
    std::string broken;
    for (const Inequality& each : player.inequalities) {
        if (each.verdict == Verdict::holds) ++holds;
        if (each.verdict == Verdict::violated) broken += (broken.empty() ? "" : ", ") + each.id;
    }
    return broken.empty() ? fmt::format("{} hold", holds) : broken + " violated";
}

void append_players(std::string& out, const GameCertificate& certificate) {
    constexpr std::size_t kName = 16;
    append(out, "  {:<16} {:>6} {:>9} {:>10} {:>10} {:>10} {:>10}  {}\n", "player", "w_a", "updates", "Reg_w",
           "last R", "largest R", "largest d", "own claims");
    for (Index i = 0; i < certificate.players.size(); ++i) {
        const Certificate& player = certificate.players[i];
        const GamePlayerSummary& summary = certificate.summaries[i];
        const auto figure = [&](Real value) {
            return player.summary.measured ? fmt::format("{:.3e}", value) : std::string("-");
        };
        append(out, "  {:<16} {:>6.4g} {:>9} {:>10} {:>10} {:>10} {:>10}  {}\n",
               shortened(player.header.name, kName), player.header.effective_length,
               player.summary.totals.steps, figure(player.summary.regret), figure(summary.last_gap),
               figure(summary.largest_gap), figure(summary.largest_variation), own_verdict(player));
    }
}

/// Base samples, where gradients were sampled.
void append_samples(std::string& out, const GameCertificate& certificate) {
    Cost cost;
    for (const Certificate& player : certificate.players) cost += player.summary.totals.cost;
    if (cost.base_samples == 0) return;
    append(out, "  {} base samples in {} calls of oracles, all players together\n", cost.base_samples,
           cost.oracle_calls);
}

void append_measures(std::string& out, const GameMeasures& measures) {
    append(out, "  measured beside, nothing is claimed of it: the play alone, without its past\n");
    append(out, "      gap (w = 1)  last {:.3e}, smallest {:.3e}, median {:.3e}, largest {:.3e}\n",
           measures.instant_last, measures.instant_smallest, measures.instant_median,
           measures.instant_largest);
    if (!std::isnan(measures.gain_last)) {
        append(out, "      best responses to the last play would save {}{:.6g} in all\n",
               measures.gain_exact ? "" : "at least ", measures.gain_last);
    }
}

}  // namespace

bool GameCertificate::sound() const {
    return CertificateLines::sound() &&
           std::all_of(players.begin(), players.end(), [](const Certificate& each) { return each.sound(); });
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

std::string to_text(const GameCertificate& certificate) {
    std::string out =
        fmt::format("Certificate of {} rounds of {}, {} players{}\n", certificate.rounds,
                    shortened(certificate.rules.game, kWidth / 2), certificate.players.size(),
                    certificate.refused > 0 ? fmt::format(" ({} refused)", certificate.refused) : "");
    append_players(out, certificate);
    append_samples(out, certificate);
    append_table_head(out, "smoothed local equilibrium");
    for (const Inequality& each : certificate.inequalities) append_inequality(out, each, true);
    out += "\nThe paper's claim (not proved; shown for comparison)\n";
    for (const PaperClaim& claim : certificate.paper_claims) append_claim(out, claim);
    if (certificate.measures) append_measures(out, *certificate.measures);
    return out;
}

std::string to_json(const GameCertificate& certificate) {
    OrderedJson json = OrderedJson::object();
    json["format"] = "proxstream-game-certificate";
    json["version"] = 1;
    json["sound"] = certificate.sound();
    json["game"] = certificate.rules.game;
    json["rounds"] = certificate.rounds;
    json["refused"] = certificate.refused;
    json["unpromised"] = certificate.unpromised;
    if (certificate.rules.epsilon) json["epsilon"] = *certificate.rules.epsilon;
    json["largest_gap"] = json_number(certificate.largest_gap);
    json["largest_gap_round"] = certificate.largest_gap_round;
    json["last_gap"] = json_number(certificate.last_gap);
    json["claims"] = to_object(certificate.inequalities);
    json["paper"] = to_object(certificate.paper_claims.front());
    if (certificate.measures) {
        const GameMeasures& measures = *certificate.measures;
        json["measured"] = {{"instant_last", json_number(measures.instant_last)},
                            {"instant_smallest", json_number(measures.instant_smallest)},
                            {"instant_median", json_number(measures.instant_median)},
                            {"instant_largest", json_number(measures.instant_largest)},
                            {"gain_last", json_number(measures.gain_last)},
                            {"gain_exact", measures.gain_exact}};
    }
    json["players"] = OrderedJson::array();
    for (Index i = 0; i < certificate.players.size(); ++i) {
        OrderedJson player = to_object(certificate.players[i]);
        const auto& bound = certificate.rules.variations[i];
        player["game"] = {{"largest_gap", json_number(certificate.summaries[i].largest_gap)},
                          {"last_gap", json_number(certificate.summaries[i].last_gap)},
                          {"largest_variation", json_number(certificate.summaries[i].largest_variation)},
                          {"promised", json_number(certificate.summaries[i].promised)},
                          {"variation_bound", bound ? json_number(bound->variation) : OrderedJson(nullptr)},
                          {"variation_origin", bound ? OrderedJson(bound->origin) : OrderedJson(nullptr)}};
        json["players"].push_back(std::move(player));
    }
    return json_text(json);
}

}  // namespace proxstream
