/// Everything `play` can be told, with the table that names it.
#pragma once

#include "core/option_table.hpp"
#include "front/play_plan.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct PlaySettings : StoreSettings, SeatSettings {
    // game
    std::string game;  // a built-in, or a TOML scenario
    Index rounds = 1000;
    std::string start;  // strategies saved earlier

    // measures
    Index measure_every = 0;       // rounds; 0: every one, of sampled costs 1 % of them
    Index measure_samples = 1024;  // of a sampled cost
    Index responses_every = 0;     // 0: 1 % of the rounds
    Index quality_samples = 2500;  // of a GAN

    // run
    Index threads = 1;

    // output
    std::string out;
    std::string trace;
    std::string save;
    std::string ledger;
    std::string certificate_json;
    std::string report;
    Index progress = 0;
    bool quiet = false;
};

/// The rows, in the order of the help.
std::span<const OptionRow<PlaySettings>> play_options();

/// Whether figures may depend on the option.
bool bears_on_figures(const OptionRow<PlaySettings>& row);

/// Every violation of ranges and choices and of what the parts themselves refuse, at once; throws
/// ConfigError.
void validate(const PlaySettings& settings);

}  // namespace proxstream
