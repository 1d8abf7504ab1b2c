/// Settings and options that all verbs with learners share.
#pragma once

#include "core/option_table.hpp"
#include "online/learner_table.hpp"

#include <array>
#include <string>
#include <string_view>

namespace proxstream {

struct SeedSettings {
    Index seed = 1;
};

/// How a learner solves its rounds.
struct LearnerSettings {
    std::string learner = "time-smoothed";
    std::string window = "auto";
    std::string selection = "auto";  // decision of an ensemble
    std::string model = "auto";      // forecast of the next loss
    Real hysteresis = 1;             // theta
    Real switching = 0;              // kappa_0
    std::string step = "auto";       // eta
    std::string tolerance = "auto";  // delta
    std::string inner = "auto";
    Index max_steps = 1000;
    Real effort =
        0;  // record gradients a round, unused ones are saved; 0: no limit, or the default of an ensemble
    Real max_seconds = kInfinity;
};

/// Where sampled gradients come from.
struct OracleSettings {
    std::string oracle = "exact";
    Index confirm = 1;  // m
    Real confidence = 0.95;
    bool referee = true;
    bool force = false;
};

/// The part of a learner's configuration that the settings determine. Throws ConfigError.
LearnerConfig learner_config(const LearnerSettings& settings);
NoiseParts noise_parts(const OracleSettings& settings);

// Checks of single options.
void check_window(const std::string& window);
void check_selection(const std::string& selection);
void check_model(const std::string& model);
void check_step(const std::string& step);
void check_tolerance(const std::string& tolerance);
void check_inner(const std::string& inner);

template <class S>
OptionRow<S> seed_option(std::string_view group) {
    return {"seed", "", group, "N", "random seed", &S::seed, 0, 1e18};
}

template <class S>
auto learner_options() {
    using Row = OptionRow<S>;
    return std::array{
        Row{"learner", "", "Learner", "NAME", "online learner; see 'proxstream list learners'", &S::learner},
        checked(Row{"window", "w", "Learner", "WINDOW",
                    "past losses whose mean is kept stationary: a number, auto, or weights; see 'proxstream "
                    "list windows'",
                    &S::window},
                check_window),
        checked(Row{"selection", "", "Learner", "NAME",
                    "decision of the automatic window: the mean of its members, or one that is drawn; see "
                    "'proxstream list selections'",
                    &S::selection},
                check_selection),
        checked(Row{"model", "", "Learner", "MODEL",
                    "forecast of the next loss used while solving a round; see 'proxstream list models'",
                    &S::model},
                check_model),
        Row{"hysteresis", "", "Learner", "THETA",
            "solve a round that fails its test to THETA times its tolerance", &S::hysteresis, 1e-6, 1},
        Row{"switching", "", "Learner", "KAPPA",
            "penalise moves: KAPPA/(W sqrt n) for each unit of change of x", &S::switching, 0, 1e300},
        checked(Row{"step", "e", "Learner", "ETA",
                    "reference step of the stationarity gap and of the exit test, or auto", &S::step},
                check_step),
        checked(Row{"tolerance", "", "Learner", "DELTA",
                    "end a round when the stationarity gap is at most DELTA/W; auto[:FACTOR]: from the usual "
                    "change of losses",
                    &S::tolerance},
                check_tolerance),
        checked(Row{"inner", "", "Learner", "NAME", "inner solver; see 'proxstream list inner'", &S::inner},
                check_inner),
        Row{"max-steps", "", "Learner", "N", "at most N solver steps a round", &S::max_steps, 1, 1e9},
        Row{"effort", "", "Learner", "N",
            "at most N record gradients a round, unused ones saved up (0: no limit; in an ensemble 32 or 128 "
            "a "
            "member)",
            &S::effort, 0, 1e300},
        Row{"max-seconds", "", "Learner", "SECONDS",
            "at most so many seconds a round (runs then do not repeat bit for bit)", &S::max_seconds, 0},
    };
}

template <class S>
auto oracle_options() {
    using Row = OptionRow<S>;
    return std::array{
        Row{"oracle", "", "Oracle", "NAME", "source of gradients; see 'proxstream list oracles'", &S::oracle},
        Row{"confirm", "", "Oracle", "M", "end a round only if M independent estimates pass its test",
            &S::confirm, 1, 1000},
        Row{"confidence", "", "Oracle", "P",
            "confidence level of probabilistic statements in the certificate", &S::confidence, 0.01,
            0.999999},
        Row{"referee", "", "Oracle", "BOOL",
            "do not evaluate losses exactly for the certificate: faster, and less is proved", &S::referee},
        hidden(Row{"force", "", "Oracle", "BOOL",
                   "run even if the tolerance is so small that noise alone may keep a round going",
                   &S::force}),
    };
}

}  // namespace proxstream
