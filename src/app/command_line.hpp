/// Turns a table of options into a command line, so that flags, TOML keys and help cannot disagree.
#pragma once

#include "io/output_plan.hpp"
#include "run/settings_file.hpp"

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

/// A table's options, and the settings they are in, as the command line sees them.
struct CommandOption {
    enum class Kind { flag, list, value };
    std::string_view name, alias, group, value, positional;
    std::string help;
    Kind kind = Kind::value;
    bool on = false;  // a flag's default
    bool hidden = false;
};

struct CommandLine {
    std::string verb;
    std::string description;
    std::vector<CommandOption> options;
    std::vector<ExtraOption> extras = {};
    SettingsSink sink;                             // takes what was typed, and what the file says
    std::vector<std::function<void()>> checks;     // a ConfigError of theirs joins the other violations
    std::function<void(OutputPlan&)> files = {};   // adds the files of the settings, once these are checked
    std::vector<std::string_view> most_used = {};  // options that the help lists first
    std::vector<std::string_view> examples = {};   // for the help, without the program's name
};

/// What was typed, to be typed again: what a shell would cut apart or expand is quoted.
std::string command_again(const std::string& verb, const std::vector<std::string>& arguments);

CommandOption command_option(const std::string& present_value, CommandOption option);

/// Fills the settings from the arguments and, under them, from the TOML file that --config names. Returns the
/// exit status if the program is done (help was asked for). Throws ConfigError with every violation.
std::optional<int> parse_command_line(const CommandLine& line, const std::vector<std::string>& arguments);

/// What a verb takes besides, or instead of, the whole table.
template <class Settings>
struct VerbOptions {
    std::vector<ExtraOption> extras = {};
    std::function<void(OutputPlan&)> files = {};                 // beside those of the table
    std::function<bool(const OptionRow<Settings>&)> takes = {};  // rows it has; none: all of them
    /// What to do instead of the option of this name, which the verb does not take.
    std::function<std::string(std::string_view name)> instead = {};
    std::vector<std::function<void()>> checks = {};
    std::vector<std::string> elsewhere = {};  // keys of the file that are not for the table
    std::vector<std::string_view> most_used = {};
    std::vector<std::string_view> examples = {};
};

/// Adds the files that the options of a table name.
template <class Settings>
void add_files(const Settings& settings, OutputPlan& plan) {
    for (const auto& row : Settings::options()) {
        if (row.value.find("FILE") == row.value.npos && row.value != "RUN") continue;
        const bool written = row.group == "Output" || row.group == "Store";
        if (const auto* text = std::get_if<std::string Settings::*>(&row.member))
            written ? plan.writes(row.name, settings.**text) : plan.reads(row.name, settings.**text);
        if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&row.member))
            for (const std::string& path : settings.**list) plan.reads(row.name, path);
    }
}

template <class Settings>
std::optional<int> parse_command_line(const std::string& verb, const std::string& description,
                                      const std::vector<std::string>& arguments, Settings& settings,
                                      const VerbOptions<Settings>& own) {
    CommandLine line{verb, description, {}, own.extras, settings_sink(settings), own.checks};
    line.sink.elsewhere = own.elsewhere;
    line.most_used = own.most_used;
    line.examples = own.examples;
    line.files = [&](OutputPlan& plan) {
        add_files(settings, plan);
        if (own.files) own.files(plan);
    };
    if (own.instead) {
        line.sink.refusal = [&](std::string_view name) -> std::string {
            for (const auto& row : Settings::options()) {
                const bool same = row.name == name || (!row.alias.empty() && row.alias == name);
                if (same && own.takes && !own.takes(row))
                    return "not an option of '" + verb + "'; " + own.instead(row.name);
            }
            return {};
        };
    }
    const Settings defaults;
    for (const auto& row : Settings::options()) {
        CommandOption option{.name = row.name,
                             .alias = row.alias,
                             .group = row.group,
                             .value = row.value,
                             .positional = row.positional,
                             .help = std::string(row.help),
                             .hidden = row.hidden};
        if (const auto* flag = std::get_if<bool Settings::*>(&row.member)) {
            option.kind = CommandOption::Kind::flag;
            option.on = defaults.**flag;
        } else if (std::holds_alternative<std::vector<std::string> Settings::*>(row.member)) {
            option.kind = CommandOption::Kind::list;
        }
        line.options.push_back(command_option(present(row, defaults), std::move(option)));
        if (own.takes && !own.takes(row)) {
            line.options.back().name = {};
            line.sink.names[line.options.size() - 1].clear();  // nor does the file's
        }
    }
    return parse_command_line(line, arguments);
}

}  // namespace proxstream::app
