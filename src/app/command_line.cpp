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
    bool yes = false;  // --name
    bool no = false;   // --no-name
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
    if (const auto* member = std::get_if<bool LearnSettings::*>(&row.member)) {
        // The help shows the spelling that changes something; the other one is understood too.
        const bool on = defaults.**member;
        CLI::Option* yes = app.add_flag(fmt::format("{}--{}", dashes, row.name), given.yes, help);
        CLI::Option* no = app.add_flag(fmt::format("--no-{}", row.name), given.no, help);
        (on ? yes : no)->group("");
        option = on ? no : yes;
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

bool typed(const CLI::Option& option, const Given& given) {
    return option.count() > 0 || given.yes || given.no;
}

/// Moves what was typed into the settings; "" or what is wrong with it.
std::string take(const Row& row, const Given& given, LearnSettings& settings) {
    if (assign_list(row, settings, given.list)) return {};
    const bool flag = std::holds_alternative<bool LearnSettings::*>(row.member);
    if (given.yes && given.no) return fmt::format("--{0} and --no-{0} exclude each other", row.name);
    const std::string violation = assign(row, settings, flag ? (given.yes ? "true" : "false") : given.text);
    return violation.empty() ? "" : "--" + violation;
}

std::string unknown_option(const std::string& verb, const std::string& text,
                           const std::vector<std::string>& names) {
    std::string bare = text.substr(std::min(text.find_first_not_of('-'), text.size()));
    bare = bare.substr(0, bare.find('='));
    const std::string near = nearest_name(bare, names);
    return "unknown option '" + text + "'; " +
           (near.empty() ? "see 'proxstream " + verb + " --help'" : "did you mean '--" + near + "'?");
}

}  // namespace

std::optional<int> parse_command_line(const std::string& verb, const std::string& description,
                                      const std::vector<std::string>& arguments, LearnSettings& settings,
                                      const VerbOptions& own) {
    CLI::App app(description, "proxstream " + verb);
    app.allow_extras();
    app.get_formatter()->column_width(34);
    app.set_help_flag("-h,--help", "show this and exit");
    std::string config;
    app.add_option("-c,--config", config, "TOML file with these same names as keys; flags win over it")
        ->type_name("FILE");
    std::vector<std::string> names{"config", "help"};
    for (const ExtraOption& extra : own.extras) {
        app.add_option("--" + extra.name, *extra.target, extra.help)->type_name(extra.value);
        names.push_back(extra.name);
    }
    const LearnSettings defaults;
    std::map<std::string_view, Given> given;
    std::vector<std::pair<const Row*, const CLI::Option*>> options;
    for (const Row& row : learn_options()) {
        if (own.takes && !own.takes(row)) continue;
        options.emplace_back(&row, add_row(app, row, defaults, given[row.name]));
        names.emplace_back(row.name);
        names.push_back("no-" + std::string(row.name));
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return kOk;
    } catch (const CLI::ParseError& error) {
        throw ConfigError(std::string(error.what()) + "; see 'proxstream " + verb + " --help'");
    }

    std::vector<std::string> violations;
    for (const std::string& unknown : app.remaining())
        violations.push_back(unknown_option(verb, unknown, names));
    std::vector<std::string> on_command_line;
    for (const auto& [row, option] : options) {
        if (!typed(*option, given[row->name])) continue;
        on_command_line.emplace_back(row->name);
        const std::string violation = take(*row, given[row->name], settings);
        if (!violation.empty()) violations.push_back(violation);
    }
    const auto collect = [&](const auto& check) {
        try {
            check();
        } catch (const ConfigError& error) {
            violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        }
    };
    if (!config.empty()) collect([&] { read_settings_file(config, settings, on_command_line); });
    collect([&] { validate(settings, own.several_learners); });
    if (own.check) collect(own.check);
    if (!violations.empty()) throw ConfigError(violations);
    return std::nullopt;
}

}  // namespace proxstream::app
