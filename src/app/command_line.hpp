/// Turns the option table into a command line, so that flags, TOML keys and help cannot disagree.
#pragma once

#include "proxstream/run/learn_settings.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream::app {

struct ExtraOption {
    std::string name;  // without dashes
    std::string value;
    std::string help;
    std::string* target;
};

/// What a verb takes besides, or instead of, the whole table.
struct VerbOptions {
    std::vector<ExtraOption> extras = {};
    std::function<bool(const OptionRow<LearnSettings>&)> takes = {};  // rows it has; none: all of them
    bool several_learners = false;     // their texts may use what the oracle's options say
    std::function<void()> check = {};  // of the extras; its ConfigError joins the other violations
};

/// Fills `settings` from the arguments and, under them, from the TOML file that --config names. Returns the
/// exit status if the program is done (help was asked for). Throws ConfigError with every violation.
std::optional<int> parse_command_line(const std::string& verb, const std::string& description,
                                      const std::vector<std::string>& arguments, LearnSettings& settings,
                                      const VerbOptions& own = {});

}  // namespace proxstream::app
