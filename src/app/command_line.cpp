#include "app/command_line.hpp"

#include "app/exit_code.hpp"
#include "core/find_row.hpp"
#include "core/text_lines.hpp"
#include "core/violations.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace proxstream::app {
namespace {

/// Wraps what options do, so that help fits a narrow terminal.
class HelpFormatter final : public CLI::Formatter {
  public:
    HelpFormatter() { column_width(kColumn); }
    std::string make_option_desc(const CLI::Option* option) const override {
        std::string text = wrapped(CLI::Formatter::make_option_desc(option), kColumn);
        // CLI11 indents every line itself.
        const std::string indented = "\n" + std::string(kColumn, ' ');
        for (std::size_t at = text.find(indented); at != std::string::npos; at = text.find(indented, at + 1))
            text.erase(at + 1, kColumn);
        return text;
    }

  private:
    static constexpr std::size_t kColumn = 34;
};

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
std::string take_option(const CommandOption& option, Index row, const Given& given,
                        const SettingsSink& sink) {
    if (sink.take_list(row, given.list)) return {};
    const bool flag = option.kind == CommandOption::Kind::flag;
    if (given.yes && given.no) return fmt::format("--{0} and --no-{0} exclude each other", option.name);
    const std::string violation = sink.take(row, flag ? (given.yes ? "true" : "false") : given.text);
    return violation.empty() ? "" : "--" + violation;
}

std::string unknown_option(const CommandLine& line, const std::string& text,
                           const std::vector<std::string>& names) {
    std::string bare = text.substr(std::min(text.find_first_not_of('-'), text.size()));
    bare = bare.substr(0, bare.find('='));
    if (const std::string refusal = line.sink.refusal ? line.sink.refusal(bare) : ""; !refusal.empty())
        return fmt::format("{}: {}", text, refusal);
    if (const std::string_view replacement = replacement_of(bare); !replacement.empty())
        return fmt::format("--{} was removed: {}", bare, replacement);
    if (const std::string_view meant = meant_by("option", bare); !meant.empty())
        return fmt::format("unknown option {}; use {}", quoted_excerpt(text), meant);
    const std::string near = nearest_name(bare, names);
    return "unknown option " + quoted_excerpt(text) + "; " +
           (near.empty() ? "see 'proxstream " + line.verb + " --help'" : "did you mean '--" + near + "'?");
}

bool has_flag(const std::vector<std::string>& arguments, std::string_view flag) {
    return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

/// Keeps the blanks at the beginning of a line, which shows what to type.
std::string wrap_line(const std::string& line) {
    return line.starts_with(' ') ? line : wrapped(line, 0);
}

std::string description_of(const CommandLine& line) {
    std::string text;
    std::istringstream lines{std::string(line.description)};
    for (std::string each; std::getline(lines, each);) text += (text.empty() ? "" : "\n") + wrap_line(each);
    if (!line.examples.empty()) text += "\n\nexamples:";
    for (const std::string_view example : line.examples) text += fmt::format("\n  proxstream {}", example);
    return text + "\n";
}

/// The options of a verb, and what was typed for them.
class TypedOptions {
  public:
    TypedOptions(const CommandLine& line, bool show_hidden)
        : line_(line), show_hidden_(show_hidden), app_(description_of(line), "proxstream " + line.verb) {
        app_.allow_extras();
        app_.formatter(std::make_shared<HelpFormatter>());
        app_.set_help_flag("-h,--help", "show this and exit");
        const bool has_hidden = std::any_of(line.options.begin(), line.options.end(), [](const auto& option) {
            return option.hidden && !option.name.empty();
        });
        if (has_hidden)
            app_.add_flag("--help-all", asked_for_all_, "show also the options for research, and exit");
        app_.add_option("-c,--config", config_, "TOML file with these same names as keys; flags win over it")
            ->type_name("FILE");
        for (const ExtraOption& extra : line.extras) {
            app_.add_option("--" + extra.name, *extra.target, extra.help)->type_name(extra.value);
            names_.push_back(extra.name);
        }
        // The help lists options in the order in which they are added.
        for (const std::string_view name : line.most_used) {
            for (Index row = 0; row < line.options.size(); ++row)
                if (line.options[row].name == name) add(row, "Most used");
        }
        for (Index row = 0; row < line.options.size(); ++row) {
            if (!line.options[row].name.empty() && !given_.contains(row)) add(row, line.options[row].group);
        }
    }

    /// Reads the arguments. Returns whether they ask for help, which is then printed.
    bool shows_help(const std::vector<std::string>& arguments) {
        bool asked = show_hidden_;
        try {
            if (!asked) app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        } catch (const CLI::CallForHelp&) {
            asked = true;
        } catch (const CLI::ParseError& error) {
            throw ConfigError(std::string(error.what()) + "; see 'proxstream " + line_.verb + " --help'");
        }
        if (asked) fmt::print("{}", app_.help());
        return asked;
    }

    /// Moves what was typed into the settings; returns the names of these options.
    std::vector<std::string> take(Violations& violations) {
        for (const std::string& unknown : app_.remaining())
            violations.refuse(true, unknown_option(line_, unknown, names_));
        std::vector<std::string> taken;
        for (const auto& [row, option] : options_) {
            if (!typed(*option, given_[row])) continue;
            taken.emplace_back(line_.options[row].name);
            const std::string violation = take_option(line_.options[row], row, given_[row], line_.sink);
            violations.refuse(!violation.empty(), violation);
        }
        return taken;
    }

    const std::string& config() const noexcept { return config_; }

  private:
    void add(Index row, std::string_view group) {
        CommandOption option = line_.options[row];
        option.group = group;
        options_.emplace_back(row, add_option(app_, option, given_[row], show_hidden_));
        names_.emplace_back(option.name);
        names_.push_back("no-" + std::string(option.name));
    }

    const CommandLine& line_;
    bool show_hidden_;
    CLI::App app_;
    bool asked_for_all_ = false;
    std::string config_;
    std::vector<std::string> names_{"config", "help"};
    std::map<Index, Given> given_;
    std::vector<std::pair<Index, const CLI::Option*>> options_;
};

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
    TypedOptions typed(line, has_flag(arguments, "--help-all"));
    if (typed.shows_help(arguments)) return kOk;
    Violations violations;
    const std::vector<std::string> on_command_line = typed.take(violations);
    const std::string& config = typed.config();
    if (!config.empty())
        violations.collect(
            "", [&] { read_settings_text(read_settings_file(config), config, line.sink, on_command_line); });
    for (const auto& check : line.checks) violations.collect("", check);
    violations.conclude();
    OutputPlan plan;
    plan.reads("config", config);
    if (line.files) line.files(plan);
    plan.check();
    return std::nullopt;
}

}  // namespace proxstream::app
