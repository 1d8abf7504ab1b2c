/// Everything `serve` can be told: its own options, and a table a learner.
#pragma once

#include "core/option_table.hpp"
#include "serve/desk.hpp"
#include "serve/http_server.hpp"
#include "store/run_identity.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct ServeSettings {
    std::string scenario;

    // learners
    std::string store_folder = ".";
    std::string durable = "round";
    std::string keep = "all";
    Index queue = 4096;
    Index workers = 8;
    Index threads = 1;

    // network
    std::string listen = "127.0.0.1";
    Index port = 8390;
    std::string token_file;
    Index http_threads = 1;
    Index max_body = Index{1} << 20U;
    Index max_header = Index{1} << 15U;
    Real request_seconds = 10;
    Real idle_seconds = 60;
    Index connections = 16384;
    Index connections_per_client = 16384;
    Real rate = 0;
    Real burst = 0;
    Real drain_seconds = 10;

    // other ways in
    bool stdio = false;
};

/// The rows, in the order of the help; [serve] of a scenario has the same names.
std::span<const OptionRow<ServeSettings>> serve_options();

/// Every violation at once; throws ConfigError.
void validate(const ServeSettings& settings);

HttpLimits http_limits(const ServeSettings& settings);
/// Is it an address that only this machine can reach?
bool is_loopback(std::string_view address);
/// What learners and forks may be called: [a-z0-9-]{1,40}.
bool is_learner_name(std::string_view name);

struct LearnerPlan {
    std::string name;
    std::string kind;
    SettingList settings;  // as given, with store, durable and keep
    DeskOptions desk = {};
};

/// What [serve] says, into the settings.
void read_serve_table(std::string_view text, const std::string& source, ServeSettings& settings);
/// [learner.NAME] tables or, without any, the file as the options of one learner of rows called main. Unknown
/// keys are refused with the nearest, all violations at once; throws ConfigError, DataError.
std::vector<LearnerPlan> read_learners(std::string_view text, const std::string& source,
                                       const ServeSettings& settings);

}  // namespace proxstream
