/// The settings of `learn` and `compare`, with their options.
#pragma once

#include "run/row_settings.hpp"
#include "run/run_settings.hpp"
#include "run/setting_list.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct LearnSettings : RowSettings,
                       LearnerSettings,
                       OracleSettings,
                       RunSettings,
                       ResultSettings,
                       StoreSettings {
    /// Loss and regulariser are chosen unless they are named (run/learn_defaults.hpp).
    LearnSettings() {
        loss = reg = "auto";
        scales_tables = predicts_unlabelled = true;
    }

    Index batch = 1;      // rows a record
    bool single = false;  // round features to single precision

    // learner
    std::string forecast;           // file of forecast rows, for model = forecast
    std::string proximal = "auto";  // mu
    Real smoothness = 0;            // claimed L; 0: 1/step
    Index survey = 64;  // rows that decide what columns hold, records for estimates of step and noise
    std::vector<std::string> also_window;
    std::string noise = "auto";  // sigma_0 of a row's gradient

    Index rounds = 0;  // the last round; 0: until the stream ends

    // output
    std::string predictions;
    std::string metrics;
    Index metrics_every = 1000;
    Index metrics_window = 1000;
    std::string report;
    std::string ledger;
    bool verbose = false;

    /// The options, in the order of the help.
    static std::span<const OptionRow<LearnSettings>> options();
};

/// Throws ConfigError with every violation. `oracles_elsewhere`: the texts of other learners may use the
/// options of the oracle.
void validate(const LearnSettings& settings, bool oracles_elsewhere = false);

/// Returns whether the settings or the learner's text ask for a stochastic oracle.
bool has_oracle(const LearnSettings& settings);
/// The noise, as far as it is known without data.
NoiseParts noise_parts(const LearnSettings& settings);

/// The further windows whose regret is measured.
std::vector<Index> other_windows(const LearnSettings& settings);

}  // namespace proxstream
