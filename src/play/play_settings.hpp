/// The settings of `play`, with their options.
#pragma once

#include "front/play_plan.hpp"
#include "run/run_settings.hpp"
#include "run/setting_list.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>

namespace proxstream {

struct PlaySettings : SeatSettings, RunSettings, ResultSettings, StoreSettings {
    // The certificate of a game needs the rows of all its players together.
    PlaySettings() { keep = "all"; }

    // game
    std::string game;  // a built-in, or a TOML scenario
    Index rounds = 1000;
    std::string start;  // strategies saved earlier

    // measures
    Index measure_every = 0;       // rounds; 0: every round, with sampled costs 1 % of them
    Index measure_samples = 1024;  // of a sampled cost
    Index responses_every = 0;     // rounds; 0: 1 % of them
    Index quality_samples = 2500;  // of a GAN

    // output
    std::string out;
    std::string trace;
    std::string ledger;
    std::string report;

    /// The options, in the order of the help.
    static std::span<const OptionRow<PlaySettings>> options();
};

/// Throws ConfigError with every violation.
void validate(const PlaySettings& settings);

}  // namespace proxstream
