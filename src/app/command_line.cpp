#include "app/command_line.hpp"

#include "app/exit_code.hpp"

#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace proxstream::app {
namespace {

using Row = OptionRow<LearnSettings>;

/// What the command line said for an option, before it is checked.
struct Given {
    bool flag = false;
    std::string text;
    std::vector<std::string> list;
};

std::string help_of(const Row& row, const LearnSettings& defaults) {
    const std::string present_value = present(row, defaults);
    const bool silent = present_value.empty() || present_value == "false" || present_value == "true" ||
                        present_value == "inf";
    return std::string(row.help) + (silent ? "" : fmt::format(" [{}]", present_value));
}

CLI::Option* add_row(CLI::App& app, const Row& row, const LearnSettings& defaults, Given& given) {
    const std::string dashes = row.alias.empty() ? "" : fmt::format("-{},", row.alias);
    const std::string help = help_of(row, defaults);
    CLI::Option* option = nullptr;
    if (std::holds_alternative<bool LearnSettings::*>(row.member)) {
        option = app.add_flag(fmt::format("{}--{},!--no-{}", dashes, row.name, row.name), given.flag, help);
    } else if (std::holds_alternative<std::vector<std::string> LearnSettings::*>(row.member)) {
        const bool positional = row.name == "data";
        option = app.add_option(fmt::format("{}--{}{}", dashes, row.name, positional ? ",FILES" : ""),
                                given.list, help);
        if (!positional) option->delimiter(',');
        if (!positional) option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        option->type_name(std::string(row.value));
    } else {
        option = app.add_option(fmt::format("{}--{}", dashes, row.name), given.text, help);
        option->type_name(std::string(row.value));
    }
    return option->group(std::string(row.group));
}

std::string as_text(const Row& row, const Given& given) {
    if (std::holds_alternative<bool LearnSettings::*>(row.member)) return given.flag ? "true" : "false";
    return given.text;
}

}  // namespace

std::optional<int> parse_command_line(const std::string& verb, const std::string& description,
                                      const std::vector<std::string>& arguments, LearnSettings& settings,
                                      const std::vector<ExtraOption>& extras) {
    CLI::App app(description, "proxstream " + verb);
    app.allow_extras();
    app.get_formatter()->column_width(34);
    app.set_help_flag("-h,--help", "show this and exit");
    std::string config;
    app.add_option("-c,--config", config, "TOML file with these same names as keys; flags win over it")
        ->type_name("FILE");
    for (const ExtraOption& extra : extras) {
        app.add_option("--" + extra.name, *extra.target, extra.help)->type_name(extra.value);
    }

    const LearnSettings defaults;
    std::map<std::string_view, Given> given;
    std::vector<std::pair<const Row*, CLI::Option*>> options;
    for (const Row& row : learn_options()) {
        options.emplace_back(&row, add_row(app, row, defaults, given[row.name]));
    }
    try {
        std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
        app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return kOk;
    } catch (const CLI::ParseError& error) {
        throw ConfigError(std::string(error.what()) + "; see 'proxstream " + verb + " --help'");
    }

    std::vector<std::string> violations;
    std::vector<std::string> names{"config", "help"};
    std::vector<std::string> on_command_line;
    for (const auto& [row, option] : options) {
        names.emplace_back(row->name);
        if (std::holds_alternative<bool LearnSettings::*>(row->member))
            names.push_back("no-" + std::string(row->name));
        if (option->count() > 0) on_command_line.emplace_back(row->name);
    }
    for (const ExtraOption& extra : extras) names.push_back(extra.name);
    for (const std::string& unknown : app.remaining()) {
        std::string bare = unknown.substr(std::min(unknown.find_first_not_of('-'), unknown.size()));
        bare = bare.substr(0, bare.find('='));
        const std::string near = nearest_name(bare, names);
        violations.push_back(
            "unknown option '" + unknown + "'" +
            (near.empty() ? "; see 'proxstream " + verb + " --help'" : "; did you mean '--" + near + "'?"));
    }
    // The file first, then what was typed: flags win.
    if (!config.empty()) {
        try {
            read_settings_file(config, settings, on_command_line);
        } catch (const ConfigError& error) {
            violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        }
    }
    for (const auto& [row, option] : options) {
        if (option->count() == 0 || assign_list(*row, settings, given[row->name].list)) continue;
        const std::string violation = assign(*row, settings, as_text(*row, given[row->name]));
        if (!violation.empty()) violations.push_back("--" + violation);
    }
    if (violations.empty()) {
        validate(settings);
        return std::nullopt;
    }
    try {
        validate(settings);
    } catch (const ConfigError& error) {
        violations.insert(violations.end(), error.violations().begin(), error.violations().end());
    }
    throw ConfigError(violations);
}

}  // namespace proxstream::app
