/// Everything `learn` and `compare` can be told, with the table that names it.
#pragma once

#include "online/learner_table.hpp"
#include "run/row_settings.hpp"
#include "store/store_settings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct LearnSettings : RowSettings, StoreSettings {
    /// Loss and regulariser are chosen unless they are named (run/learn_defaults.hpp).
    LearnSettings() { loss = reg = "auto"; }

    Index batch = 1;      // rows a record
    bool single = false;  // features in single precision

    // learner
    std::string learner = "time-smoothed";
    std::string window = "auto";     // the judge; auto: an ensemble of windows
    std::string selection = "auto";  // how an ensemble turns its members into a decision
    std::string model = "auto";      // what a round solves
    std::string forecast;            // file of forecast rows, for model = forecast
    Real hysteresis = 1;             // theta
    Real switching = 0;              // kappa_0
    std::string proximal = "auto";   // mu
    std::string step = "auto";       // eta
    Real smoothness = 0;             // claimed L; 0: 1/step
    Index survey = 64;               // records looked at before the first round, where something is estimated
    std::string tolerance = "auto";  // delta
    std::string inner = "auto";
    Index max_steps = 1000;
    Real effort = 0;  // record gradients a round, saved up; 0: no limit, in a bank its own
    Real max_seconds = kInfinity;
    std::vector<std::string> also_window;

    // oracle
    std::string oracle = "exact";
    std::string variant = "fresh";
    Index confirm = 1;           // m
    std::string noise = "auto";  // sigma_0 of a row's gradient
    Real confidence = 0.95;      // of what holds with a probability, estimates included
    bool referee = true;
    bool force = false;

    // run: how the work is done, nothing about its figures
    Index rounds = 0;        // the last round; 0: as many as the stream has records
    std::string checkpoint;  // where the state is written at the end
    std::string resume;      // a checkpoint to go on from
    Index threads = 1;       // 0: as many as the machine has

    // output
    std::string predictions;
    std::string save;
    std::string ledger;
    std::string certificate_json;
    Index progress = 0;  // every N rounds; 0: at 1, 2, 4, 8, ...
    bool quiet = false;
    bool test_only = false;
};

/// The rows, in the order of the help.
std::span<const OptionRow<LearnSettings>> learn_options();

/// Whether figures may depend on the option. Others stay out of the ledger's header: runs that differ in them
/// alone have the same ledger.
bool bears_on_figures(const OptionRow<LearnSettings>& row);

/// Whether a fork of a run may do it otherwise: the learner, not the data or the model of them.
bool may_fork(const OptionRow<LearnSettings>& row);

/// Every violation of ranges, choices and of what the parts themselves refuse, at once; throws ConfigError.
/// `oracles_elsewhere`: texts of other learners may use what the oracle's options say.
void validate(const LearnSettings& settings, bool oracles_elsewhere = false);

/// Whether the settings ask for a stochastic oracle, by themselves or in the learner's text.
bool has_oracle(const LearnSettings& settings);
/// Record gradients a round; infinite: no limit.
Real effort_of(const LearnSettings& settings);
/// What the oracle's settings say, as far as they say it without data.
NoiseParts noise_parts(const LearnSettings& settings);

/// The windows beside w whose regret is measured too.
std::vector<Index> other_windows(const LearnSettings& settings);

}  // namespace proxstream
