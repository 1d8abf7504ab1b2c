/// A game's certificate for a terminal, and for programs.
#include "proxstream/regret/game_certificate.hpp"

#include "core/json.hpp"
#include "json_number.hpp"
#include "text_lines.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kGameIndent = 6;

bool blank(const Inequality& each) {
    return each.left == 0 && each.right == 0 && each.verdict != Verdict::holds;
}

void append_claim(std::string& out, const Inequality& each) {
    if (blank(each)) {
        append(out, "  {:<4}{:<48} {:>10} {:>10} {:>7}  {}\n", each.id, each.statement, "-", "-", "-",
               name(each.verdict));
    } else {
        append(out, "  {:<4}{:<48} {:>10.3e} {:>10.3e} {:>7.3g}  {}\n", each.id, each.statement, each.left,
               each.right, each.ratio(), name(each.verdict));
    }
    if (!each.explanation.empty()) {
        const std::string round = each.round > 0 ? fmt::format("round {}: ", each.round) : "";
        append_wrapped(out, round + each.explanation, kGameIndent);
    }
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
               player.summary.totals.steps, figure(player.summary.regret), figure(summary.last_residual),
               figure(summary.largest_residual), figure(summary.largest_variation), own_verdict(player));
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
    append(out, "      residual (w = 1)  last {:.3e}, smallest {:.3e}, median {:.3e}, largest {:.3e}\n",
           measures.instant_last, measures.instant_smallest, measures.instant_median,
           measures.instant_largest);
    if (!std::isnan(measures.gain_last)) {
        append(out, "      best responses to the last play would save {}{:.6g} in all\n",
               measures.gain_exact ? "" : "at least ", measures.gain_last);
    }
}

Json game_object(const Inequality& each) {
    return {{"id", each.id},
            {"statement", each.statement},
            {"left", json_number(each.left)},
            {"right", json_number(each.right)},
            {"slack", json_number(each.slack)},
            {"round", each.round},
            {"verdict", name(each.verdict)},
            {"explanation", each.explanation}};
}

}  // namespace

std::string to_text(const GameCertificate& certificate) {
    std::string out =
        fmt::format("Certificate of {} rounds of {}, {} players{}\n", certificate.rounds,
                    shortened(certificate.rules.game, kWidth / 2), certificate.players.size(),
                    certificate.refused > 0 ? fmt::format(" ({} refused)", certificate.refused) : "");
    append_players(out, certificate);
    append_samples(out, certificate);
    append(out, "  {:<4}{:<48} {:>10} {:>10} {:>7}\n", "", "smoothed local equilibrium", "left", "right",
           "ratio");
    for (const Inequality& each : certificate.inequalities) append_claim(out, each);
    const PaperClaim& paper = certificate.paper;
    if (paper.applicable) {
        append(out, "  the paper's claim: {}\n      {:.3e} against {:.3e}: {} here\n      {}\n",
               paper.statement, paper.left, paper.right, paper.satisfied ? "satisfied" : "not satisfied",
               paper.reason);
    }
    if (certificate.measures) append_measures(out, *certificate.measures);
    return out;
}

std::string to_json(const GameCertificate& certificate) {
    Json json;
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
    json["claims"] = Json::array();
    for (const Inequality& each : certificate.inequalities) json["claims"].push_back(game_object(each));
    json["paper"] = {
        {"statement", certificate.paper.statement},      {"applicable", certificate.paper.applicable},
        {"satisfied", certificate.paper.satisfied},      {"left", json_number(certificate.paper.left)},
        {"right", json_number(certificate.paper.right)}, {"reason", certificate.paper.reason}};
    if (certificate.measures) {
        const GameMeasures& measures = *certificate.measures;
        json["measured"] = {{"instant_last", json_number(measures.instant_last)},
                            {"instant_smallest", json_number(measures.instant_smallest)},
                            {"instant_median", json_number(measures.instant_median)},
                            {"instant_largest", json_number(measures.instant_largest)},
                            {"gain_last", json_number(measures.gain_last)},
                            {"gain_exact", measures.gain_exact}};
    }
    json["players"] = Json::array();
    for (Index i = 0; i < certificate.players.size(); ++i) {
        Json player = Json::parse(to_json(certificate.players[i]));
        const auto& bound = certificate.rules.variations[i];
        player["game"] = {{"largest_residual", json_number(certificate.summaries[i].largest_residual)},
                          {"last_residual", json_number(certificate.summaries[i].last_residual)},
                          {"largest_variation", json_number(certificate.summaries[i].largest_variation)},
                          {"promised", json_number(certificate.summaries[i].promised)},
                          {"variation_bound", bound ? json_number(bound->variation) : Json(nullptr)},
                          {"variation_origin", bound ? Json(bound->origin) : Json(nullptr)}};
        json["players"].push_back(std::move(player));
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
