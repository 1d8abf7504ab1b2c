#include "app/command_line.hpp"

#include "app/exit_code.hpp"
#include "io/output_file.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace proxstream::app {
namespace {

/// What the command line said for an option, before it is checked.
struct Given {
    bool yes = false;  // --name
    bool no = false;   // --no-name
    std::string text;
    std::vector<std::string> list;
};

CLI::Option* add_option(CLI::App& app, const CommandOption& row, Given& given, bool show_hidden) {
    const std::string dashes = row.alias.empty() ? "" : fmt::format("-{},", row.alias);
    const std::string place = row.positional.empty() ? "" : fmt::format(",{}", row.positional);
    CLI::Option* option = nullptr;
    if (row.kind == CommandOption::Kind::flag) {
        // The help shows the spelling that changes something; the other one is understood too.
        CLI::Option* yes = app.add_flag(fmt::format("{}--{}", dashes, row.name), given.yes, row.help);
        CLI::Option* no = app.add_flag(fmt::format("--no-{}", row.name), given.no, row.help);
        (row.on ? yes : no)->group("");
        option = row.on ? no : yes;
    } else if (row.kind == CommandOption::Kind::list) {
        option = app.add_option(fmt::format("{}--{}{}", dashes, row.name, place), given.list, row.help);
        if (place.empty()) option->delimiter(',');
        if (place.empty()) option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        option->type_name(std::string(row.value));
    } else {
        option = app.add_option(fmt::format("{}--{}{}", dashes, row.name, place), given.text, row.help);
        option->type_name(std::string(row.value));
    }
    return option->group(row.hidden && !show_hidden ? std::string() : std::string(row.group));
}

bool typed(const CLI::Option& option, const Given& given) {
    return option.count() > 0 || given.yes || given.no;
}

/// Moves what was typed into the settings; "" or what is wrong with it.
std::string take(const CommandOption& option, Index row, const Given& given, const SettingsSink& sink) {
    if (sink.take_list(row, given.list)) return {};
    const bool flag = option.kind == CommandOption::Kind::flag;
    if (given.yes && given.no) return fmt::format("--{0} and --no-{0} exclude each other", option.name);
    const std::string violation = sink.take(row, flag ? (given.yes ? "true" : "false") : given.text);
    return violation.empty() ? "" : "--" + violation;
}

std::string unknown_option(const std::string& verb, const std::string& text,
                           const std::vector<std::string>& names) {
    std::string bare = text.substr(std::min(text.find_first_not_of('-'), text.size()));
    bare = bare.substr(0, bare.find('='));
    if (const std::string_view replacement = replacement_of(bare); !replacement.empty())
        return fmt::format("--{} was removed: {}", bare, replacement);
    const std::string near = nearest_name(bare, names);
    return "unknown option '" + text + "'; " +
           (near.empty() ? "see 'proxstream " + verb + " --help'" : "did you mean '--" + near + "'?");
}

}  // namespace

std::string command_again(const std::string& verb, const std::vector<std::string>& arguments) {
    std::string command = "proxstream " + verb;
    for (const std::string& argument : arguments) {
        const bool plain =
            !argument.empty() && argument.find_first_of(" \t\n'\"\\$`;&|<>()*?[]#~!{}") == std::string::npos;
        std::string quoted = "'";
        for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        command += " " + (plain ? argument : quoted + "'");
    }
    return command;
}

CommandOption command_option(const std::string& present_value, CommandOption option) {
    const bool silent = present_value.empty() || present_value == "false" || present_value == "true" ||
                        present_value == "inf";
    if (!silent) option.help += fmt::format(" [{}]", present_value);
    return option;
}

std::optional<int> parse_command_line(const CommandLine& line, const std::vector<std::string>& arguments) {
    CLI::App app(line.description, "proxstream " + line.verb);
    app.allow_extras();
    app.get_formatter()->column_width(34);
    app.set_help_flag("-h,--help", "show this and exit");
    const bool help_all = std::find(arguments.begin(), arguments.end(), "--help-all") != arguments.end();
    const bool has_hidden = std::any_of(line.options.begin(), line.options.end(), [](const auto& option) {
        return option.hidden && !option.name.empty();
    });
    bool asked_for_all = false;
    if (has_hidden) app.add_flag("--help-all", asked_for_all, "show also the options for research, and exit");
    std::string config;
    app.add_option("-c,--config", config, "TOML file with these same names as keys; flags win over it")
        ->type_name("FILE");
    std::vector<std::string> names{"config", "help"};
    for (const ExtraOption& extra : line.extras) {
        app.add_option("--" + extra.name, *extra.target, extra.help)->type_name(extra.value);
        names.push_back(extra.name);
    }
    std::map<Index, Given> given;
    std::vector<std::pair<Index, const CLI::Option*>> options;
    for (Index row = 0; row < line.options.size(); ++row) {
        if (line.options[row].name.empty()) continue;
        options.emplace_back(row, add_option(app, line.options[row], given[row], help_all));
        names.emplace_back(line.options[row].name);
        names.push_back("no-" + std::string(line.options[row].name));
    }
    if (has_hidden && help_all) {
        fmt::print("{}", app.help());
        return kOk;
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return kOk;
    } catch (const CLI::ParseError& error) {
        throw ConfigError(std::string(error.what()) + "; see 'proxstream " + line.verb + " --help'");
    }

    std::vector<std::string> violations;
    for (const std::string& unknown : app.remaining())
        violations.push_back(unknown_option(line.verb, unknown, names));
    std::vector<std::string> on_command_line;
    for (const auto& [row, option] : options) {
        if (!typed(*option, given[row])) continue;
        on_command_line.emplace_back(line.options[row].name);
        const std::string violation = take(line.options[row], row, given[row], line.sink);
        if (!violation.empty()) violations.push_back(violation);
    }
    const auto collect = [&](const auto& check) {
        try {
            check();
        } catch (const ConfigError& error) {
            violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        }
    };
    if (!config.empty())
        collect([&] { read_settings_text(read_whole_file(config), config, line.sink, on_command_line); });
    for (const auto& check : line.checks) collect(check);
    if (!violations.empty()) throw ConfigError(violations);
    return std::nullopt;
}

}  // namespace proxstream::app
