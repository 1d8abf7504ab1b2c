#include "play/play_settings.hpp"

#include <array>
#include <vector>

namespace proxstream {
namespace {

using Row = OptionRow<PlaySettings>;
using S = PlaySettings;

constexpr std::array<std::string_view, 3> kTurns{"auto", "simultaneous", "alternating"};

/// "auto", "proved", "pilot" or a positive number.
void check_variation(const std::string& text) {
    if (text == "auto" || text == "proved" || text == "pilot") return;
    Real value = 0;
    try {
        value = parse_real(text, "variation");
    } catch (const ConfigError&) {
        value = -1;
    }
    if (!(value > 0 && value <= kAbsurd))
        throw ConfigError("'" + text + "': expected a positive number, auto, proved or pilot");
}

const std::array kGameRows{
    positional(Row{"game", "g", "Game", "NAME",
                   "a built-in game (see 'proxstream list games') or a TOML scenario FILE.toml", &S::game},
               "SCENARIO"),
    Row{"rounds", "r", "Game", "N", "play N rounds", &S::rounds, 1, 1e12},
    Row{"turns", "", "Game", "ORDER",
        "simultaneous: all players see one joint play; alternating: a player sees the new plays of those "
        "before it; auto: simultaneous, for a GAN alternating",
        &S::turns, 0, 0, kTurns},
    Row{"start", "", "Game", "FILE", "begin with strategies saved by --save", &S::start},
};

/// The options of learners, with help lines for games.
std::vector<Row> player_rows() {
    std::vector<Row> rows;
    for (Row row : learner_options<S>()) {
        if (row.name == "selection" || row.name == "hysteresis" || row.name == "switching" ||
            row.name == "effort")
            continue;
        if (row.name == "learner") {
            row.alias = "l";
            row.help =
                "learner of every player, see 'proxstream list learners'; auto: time-smoothed, for sampled "
                "costs sampled-steps";
        }
        if (row.name == "window")
            row.help = "plays in the window; auto: as many as --epsilon needs, else 16 (for sampled costs 1)";
        if (row.name == "tolerance")
            row.help = "end rounds at DELTA/W; auto: from the plays, with --epsilon half of the variation";
        if (row.name == "step")
            row.help = "reference step of the stationarity gap; auto: 1/L of each player's cost";
        rows.push_back(row);
    }
    rows.push_back(seed_option<S>("Learner"));
    rows.back().alias = "s";
    return rows;
}

const std::array kPlayerRows{
    Row{"learners", "", "Learner", "A;B;..", "one for each player, separated by ';', instead of --learner",
        &S::learners},
    Row{"opponents", "K", "Learner", "K", "instead of a window: K past plays, --stride rounds apart",
        &S::opponents, 0, 1e6},
    Row{"stride", "", "Learner", "S", "rounds between two of the --opponents", &S::stride, 1, 1e6},
    Row{"smoothness", "", "Learner", "L", "claimed L of every player's cost in its own play (0: the game's)",
        &S::smoothness, 0, kAbsurd},

    Row{"epsilon", "", "Equilibrium", "EPS",
        "choose windows so that R^2 <= EPS for every player in every round, R its gap (0: do not)",
        &S::epsilon, 0, kAbsurd},
    checked(
        Row{"variation", "", "Equilibrium", "D",
            "bound on what a round changes for a player: a number; proved: by the game's constants; pilot: "
            "from a short trial; auto: proved where it is known",
            &S::variation},
        check_variation),

    Row{"samples", "", "Oracle", "N", "samples of a sampled cost (GANs), for each round and player",
        &S::samples, 1, 1e9},

    Row{"measure-every", "", "Measures", "N",
        "measure gaps of the play alone every N rounds (0: 1; for sampled costs 1 % of the rounds)",
        &S::measure_every, 0, 1e12},
    hidden(Row{"measure-samples", "", "Measures", "N", "samples of a sampled cost, for measuring",
               &S::measure_samples, 16, 1e8}),
    Row{"responses-every", "", "Measures", "N",
        "search for best responses every N rounds (0: 1 % of the rounds)", &S::responses_every, 0, 1e12},
};

const std::array kOutputRows{
    Row{"out", "o", "Output", "FOLDER",
        "write trace.csv, strategies.json, certificate.json, report.html and a ledger for each player there",
        &S::out},
    Row{"trace", "", "Output", "FILE", "write a line for each round as CSV", &S::trace},
    Row{"ledger", "", "Output", "PREFIX",
        "write every player's ledger to PREFIX-I-NAME.jsonl, for 'proxstream certify'", &S::ledger},
    Row{"report", "", "Output", "FILE", "write one HTML page", &S::report},
};

}  // namespace

std::span<const Row> PlaySettings::options() {
    static const std::vector<Row> rows =
        join_rows<S>(kGameRows, player_rows(), kPlayerRows, oracle_options<S>(), run_options<S>(),
                     store_options<S>(), kOutputRows, result_options<S>("save the final strategies as JSON"));
    return rows;
}

void validate(const PlaySettings& settings) {
    Violations violations;
    check_rows(PlaySettings::options(), settings, violations);
    violations.refuse(settings.game.empty(), "a game is needed; see 'proxstream list games'");
    violations.refuse(settings.learner != "auto" && !settings.learners.empty(),
                      "learner, learners: give one of them");
    violations.refuse(settings.opponents > 0 && settings.window != "auto",
                      "window, opponents: give one of them");
    violations.refuse(settings.opponents == 0 && settings.stride > 1,
                      "stride: has no meaning without --opponents");
    violations.refuse(!settings.store.empty() && settings.trace == "-",
                      "store: a resumable run cannot write to standard output; give --trace a file");
    violations.conclude();
}

}  // namespace proxstream
