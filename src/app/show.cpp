/// `show`: a run store or a model, whichever the file is.
#include "app/show.hpp"

#include "proxstream/core/error.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/option_table.hpp"
#include "store/run_store.hpp"

#include <array>
#include <cerrno>
#include <fstream>

namespace proxstream::app {
namespace {

struct ShowSettings {
    std::string file;
    bool all = false;
    bool csv = false;

    static std::span<const OptionRow<ShowSettings>> options();
};

using ShowRow = OptionRow<ShowSettings>;

const std::array kShowRows{
    positional(
        ShowRow{"file", "", "File", "FILE", "run store, or model that --save wrote", &ShowSettings::file},
        "FILE"),
    ShowRow{"all", "", "Models", "", "list every feature (default: the 30 most influential)",
            &ShowSettings::all},
    ShowRow{"csv", "", "Models", "", "print all weights as CSV, with all digits, and nothing else",
            &ShowSettings::csv},
};

std::span<const ShowRow> ShowSettings::options() {
    return kShowRows;
}

enum class Content { store, model, other };

Content content_of(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw IoError(path, "open the file", errno);
    constexpr std::string_view kDatabase = "SQLite format 3";
    char head[kDatabase.size()];
    file.read(head, sizeof head);
    const std::string_view read(head, static_cast<std::size_t>(file.gcount()));
    // The store of a run that ended before its first commit is empty.
    if (read.empty() || read == kDatabase) return Content::store;
    const auto first = read.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && read[first] == '{' ? Content::model : Content::other;
}

}  // namespace

int show_file(const std::vector<std::string>& arguments) {
    ShowSettings settings;
    const auto done = parse_command_line(
        "show",
        "Shows what is in a file: of a run store the run's settings, state and last figures, of a model how "
        "it "
        "was\nmade and its weights in the units of the data.",
        arguments, settings,
        {.checks = {[&] {
             Violations violations;
             check_rows(ShowSettings::options(), settings, violations);
             violations.refuse(settings.file.empty(), "file: expected a run store or a model");
             violations.conclude();
         }},
         .examples = {"show day.run", "show model.json", "show model.json --csv >weights.csv"}});
    if (done) return *done;
    switch (content_of(settings.file)) {
        case Content::store:
            if (settings.all || settings.csv)
                throw ConfigError("show: " + settings.file +
                                  " is a run store; --all and --csv are for models");
            show_store(settings.file);
            break;
        case Content::model:
            show_model(settings.file, {.all = settings.all, .csv = settings.csv});
            break;
        default:
            throw DataError({.source = settings.file, .line = 0, .column = 0, .field = ""},
                            "neither a run store nor a model",
                            "a file that proxstream has written with --store or --save");
    }
    return kOk;
}

}  // namespace proxstream::app
