#include "play/play_settings.hpp"

#include "proxstream/core/parallel.hpp"

#include "game/game_play.hpp"
#include "online/tolerance.hpp"
#include "run/learn_settings.hpp"
#include "window/window_weights.hpp"

#include <array>
#include <vector>

namespace proxstream {
namespace {

using Row = OptionRow<PlaySettings>;
using S = PlaySettings;

constexpr Real kLargeCount = 1e9;
constexpr std::array<std::string_view, 3> kTurns{"auto", "simultaneous", "alternating"};
constexpr std::array<std::string_view, 2> kVariants{"fresh", "paper"};

Row positional(Row row, std::string_view name) {
    row.positional = name;
    return row;
}

const std::array kOwnRows{
    positional(Row{"game", "g", "Game", "NAME",
                   "a built-in game (see 'proxstream list games') or a TOML scenario FILE.toml", &S::game},
               "SCENARIO"),
    Row{"rounds", "r", "Game", "N", "rounds to play", &S::rounds, 1, 1e12},
    Row{"turns", "", "Game", "ORDER",
        "simultaneous: all see one joint play, as in the paper; alternating: a player sees what those before "
        "it have just moved to; auto: simultaneous, of a GAN alternating",
        &S::turns, 0, 0, kTurns},
    Row{"start", "", "Game", "FILE", "begin with strategies saved by --save", &S::start},

    Row{"learner", "l", "Players", "NAME",
        "how everybody plays, see 'proxstream list learners'; auto: time-smoothed, of sampled costs "
        "sampled-steps",
        &S::learner},
    Row{"learners", "", "Players", "A;B;..", "one for each player, separated by ';', instead of --learner",
        &S::learners},
    Row{"window", "w", "Players", "W",
        "how much of the past counts; auto: what --epsilon asks for, else 16 (of sampled costs 1)",
        &S::window},
    Row{"opponents", "K", "Players", "K", "instead of a window: K past plays, --stride rounds apart",
        &S::opponents, 0, 1e6},
    Row{"stride", "", "Players", "S", "rounds between two of them", &S::stride, 1, 1e6},
    Row{"model", "", "Players", "RULE", "what a round solves, see 'proxstream list models'", &S::model},
    Row{"tolerance", "", "Players", "DELTA",
        "rounds end at DELTA/W; auto: from the plays themselves, with --epsilon half of the variation",
        &S::tolerance},
    Row{"step", "e", "Players", "ETA", "reference step of residuals; auto: 1/L of each player's cost",
        &S::step},
    Row{"smoothness", "", "Players", "L", "claimed L of every player's cost in its own play (0: the game's)",
        &S::smoothness, 0, kAbsurd},
    Row{"inner", "", "Players", "NAME", "how rounds are solved, see 'proxstream list inner'", &S::inner},
    Row{"max-steps", "", "Players", "N", "budget of inner steps a round", &S::max_steps, 1, kLargeCount},
    Row{"max-seconds", "", "Players", "S", "budget of seconds a round and player", &S::max_seconds, 0,
        kInfinity},
    Row{"seed", "s", "Players", "N", "of all draws", &S::seed, 0, 1e18},

    Row{"epsilon", "", "Equilibrium", "EPS",
        "wanted in every round: R^2 <= EPS of every player, R its residual against its window (0: nothing)",
        &S::epsilon, 0, kAbsurd},
    Row{"variation", "", "Equilibrium", "D",
        "bound on what a round changes for a player: a number; proved: by the game's constants; pilot: from "
        "a "
        "short trial; auto: proved where it is known",
        &S::variation},

    Row{"oracle", "", "Oracle", "NAME", "where gradients come from; see 'proxstream list oracles'",
        &S::oracle},
    Row{"variant", "", "Oracle", "NAME",
        "fresh: gradients are redrawn when a round begins; paper: kept as in the paper's Algorithm 2",
        &S::variant, 0, 0, kVariants},
    Row{"confirm", "", "Oracle", "M", "a round stops only where M independent estimates pass its test",
        &S::confirm, 1, 1000},
    Row{"confidence", "", "Oracle", "P", "of what holds with a probability only", &S::confidence, 0.5,
        0.999999},
    Row{"samples", "", "Oracle", "N", "of a sampled cost (GANs), a round and player", &S::samples, 1, 1e9},
    Row{"referee", "", "Oracle", "BOOL",
        "evaluate costs exactly beside, for the certificate only; --no-referee is faster and proves less",
        &S::referee},
    Row{"force", "", "Oracle", "BOOL",
        "play even if the tolerance is so small that noise alone may keep a round going", &S::force},

    Row{"measure-every", "", "Measures", "N",
        "rounds between two measurements of the play alone (0: 1; of sampled costs 1 % of the rounds)",
        &S::measure_every, 0, 1e12},
    Row{"measure-samples", "", "Measures", "N", "of a sampled cost, for measuring", &S::measure_samples, 16,
        1e8},
    Row{"responses-every", "", "Measures", "N",
        "rounds between two searches for best responses (0: 1 % of the rounds)", &S::responses_every, 0,
        1e12},
    Row{"quality-samples", "", "Measures", "N", "points a GAN's generator is judged by", &S::quality_samples,
        100, 1e7},

    Row{"threads", "", "Run", "N",
        "threads for players and passes; results do not depend on it (0: as many as the machine has)",
        &S::threads, 0, static_cast<Real>(kMostThreads)},

    Row{"out", "o", "Output", "FOLDER",
        "write trace.csv, strategies.json, certificate.json, report.html and a ledger a player there",
        &S::out},
    Row{"trace", "", "Output", "FILE", "write a line a round as CSV", &S::trace},
    Row{"save", "f", "Output", "FILE", "save the final strategies as JSON", &S::save},
    Row{"ledger", "", "Output", "PREFIX", "write every player's ledger to PREFIX-I-NAME.jsonl, for certify",
        &S::ledger},
    Row{"certificate", "", "Output", "FILE", "write the certificate as JSON", &S::certificate_json},
    Row{"report", "", "Output", "FILE", "write one HTML page", &S::report},
    Row{"progress", "P", "Output", "N", "a progress line every N rounds (0: at 1, 2, 4, 8, ...)",
        &S::progress, 0, kLargeCount},
    Row{"quiet", "q", "Output", "BOOL", "no settings, progress or footer; errors only", &S::quiet},
};

/// "auto", "proved", "pilot" or a number.
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

}  // namespace

std::span<const Row> play_options() {
    static const std::vector<Row> rows = [] {
        std::vector<Row> all(kOwnRows.begin(), kOwnRows.end());
        for (const Row& row : store_options<S>()) all.push_back(row);
        return all;
    }();
    return rows;
}

bool bears_on_figures(const Row& row) {
    return row.group != "Run" && row.group != "Output" && row.group != "Store";
}

void validate(const PlaySettings& settings) {
    std::vector<std::string> violations;
    for (const Row& row : play_options()) {
        const std::string violation = range_violation(row, settings);
        if (!violation.empty()) violations.push_back(violation);
    }
    const auto refuse = [&](bool asked, const char* what) {
        if (asked) violations.emplace_back(what);
    };
    refuse(settings.game.empty(), "a game is needed; see 'proxstream list games'");
    refuse(settings.learner != "auto" && !settings.learners.empty(), "learner, learners: give one of them");
    refuse(settings.opponents > 0 && settings.window != "auto", "window, opponents: give one of them");
    refuse(settings.opponents == 0 && settings.stride > 1, "stride: is between opponents; give --opponents");
    if (settings.window != "auto")
        collect(violations, "window", [&] { WindowWeights::parse(settings.window); });
    collect(violations, "model", [&] { ModelRule::parse(settings.model); });
    collect(violations, "tolerance", [&] { Tolerance::parse(settings.tolerance); });
    collect(violations, "step", [&] { number_or_auto("step", settings.step); });
    collect(violations, "variation", [&] { check_variation(settings.variation); });
    collect(violations, "", [&] { validate(static_cast<const StoreSettings&>(settings)); });
    refuse(!settings.store.empty() && settings.trace == "-",
           "store: a run that is gone on with cannot take back what went to standard output; give --trace a "
           "file");
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
