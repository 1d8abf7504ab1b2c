/// The settings of `serve`: its own options, and a table for each learner.
#pragma once

#include "core/option_table.hpp"
#include "serve/http_server.hpp"
#include "serve/learner_queue.hpp"
#include "store/run_identity.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct ServeSettings : HttpLimits {
    std::string scenario;

    // learners
    std::string store_folder = ".";
    std::string durable = "round";
    std::string keep = "turns";
    Index queue = 4096;
    Index workers = 8;
    Index threads = 1;

    // network, besides the limits
    std::string listen = "127.0.0.1";
    Index port = 8390;
    std::string token_file;
    Index http_threads = 1;
    Real drain_seconds = 10;

    /// The options, in the order of the help; [serve] of a scenario has the same names.
    static std::span<const OptionRow<ServeSettings>> options();
};

/// Throws ConfigError with every violation.
void validate(const ServeSettings& settings);

/// Names of learners and forks: [a-z0-9-]{1,40}.
bool is_learner_name(std::string_view name);

struct LearnerPlan {
    std::string name;
    std::string kind;
    SettingList settings;  // as given, with store, durable and keep
    LearnerQueueOptions queue = {};
};

/// Reads the table [serve] into the settings.
void read_serve_table(std::string_view text, const std::string& source, ServeSettings& settings);
/// Reads the tables [learner.NAME]. Without any, the file is the options of one learner of rows called main.
/// Throws ConfigError with all violations, DataError.
std::vector<LearnerPlan> read_learners(std::string_view text, const std::string& source,
                                       const ServeSettings& settings);

}  // namespace proxstream
