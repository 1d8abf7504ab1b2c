/// TOML settings of every verb, and scenarios of the service: settings that a store can hold, or a
/// ConfigError or DataError. The first byte chooses the verb.
#include "fit/fit_settings.hpp"
#include "fuzz_support.hpp"
#include "play/play_settings.hpp"
#include "route/route_settings.hpp"
#include "run/learn_settings.hpp"
#include "run/setting_list.hpp"
#include "run/settings_file.hpp"
#include "serve/learner_kinds.hpp"
#include "serve/serve_settings.hpp"

#include <set>

using namespace proxstream;

namespace {

template <class Settings>
void try_settings(std::string_view text) {
    Settings settings;
    read_settings_text(text, "f", settings_sink(settings), {"seed"});
    if constexpr (requires { settings.seed; }) {
        fuzz::require(settings.seed == Settings{}.seed);  // the command line had set it
    }
    validate(settings);
    // Stores keep settings as a list.
    Settings again;
    take_settings(setting_list(settings), again);
    fuzz::require(setting_list(again) == setting_list(settings));
}

void try_service(std::string_view text) {
    ServeSettings settings;
    read_serve_table(text, "f", settings);
    std::set<std::string> names;
    for (const LearnerPlan& plan : read_learners(text, "f", settings)) {
        fuzz::require(is_learner_name(plan.name) && names.insert(plan.name).second);
        SettingList list;
        const std::vector<std::string> known = find_learner_kind(plan.kind).sink(list).names;
        for (const auto& [name, value] : plan.settings)
            fuzz::require(std::find(known.begin(), known.end(), name) != known.end());
    }
}

void try_text(std::uint8_t choice, std::string_view text) {
    switch (choice % 5) {
        case 0:
            return try_settings<LearnSettings>(text);
        case 1:
            return try_settings<RouteSettings>(text);
        case 2:
            return try_settings<FitSettings>(text);
        case 3:
            return try_settings<PlaySettings>(text);
        default:
            return try_service(text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    try {
        try_text(choice, choices.rest());
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    } catch (const DataError& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    return 0;
}
