/// The settings of a resumed run: those in its store, and those that may change.
#pragma once

#include "app/command_line.hpp"
#include "run/setting_list.hpp"
#include "store/run_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream::app {

/// Fills `settings` from the store. Options replace them if they do not affect results (affects_results() of
/// the table) or are in `further`, which may extend the run. Outputs stay where they were. Returns the exit
/// status if the program is done. Throws ConfigError with every violation.
template <class Settings>
std::optional<int> resume_settings(const std::string& path, const std::vector<std::string>& arguments,
                                   Settings& settings, const std::vector<std::string_view>& further = {}) {
    const RunStore store(path);
    take_settings(store.settings(), settings);
    settings.store = path;
    const auto may_change = [&](const OptionRow<Settings>& row) {
        if (std::find(further.begin(), further.end(), row.name) != further.end()) return true;
        const bool screen = row.name == "progress" || row.name == "quiet" || row.name == "verbose";
        const bool fixed = (row.group == "Output" && !screen) || row.group == "Comparison";
        return !affects_results(row) && !fixed && row.name != "store";
    };
    return parse_command_line("resume",
                              "Continues a stored run, bit for bit as if it had never stopped.\n"
                              "  proxstream resume RUN [options]     of a run of '" +
                                  store.identity().kind + "':",
                              arguments, settings,
                              {.takes = may_change, .checks = {[&] { validate(settings); }}});
}

}  // namespace proxstream::app
