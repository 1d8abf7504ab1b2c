#include "serve/learner_kinds.hpp"

#include "core/find_row.hpp"
#include "route/route_settings.hpp"
#include "run/learn_settings.hpp"

#include <memory>

namespace proxstream {
namespace {

template <class Settings>
SettingsSink recording_sink(SettingList& list) {
    const auto read = std::make_shared<Settings>();  // to see whether values can be read
    SettingsSink sink;
    const auto rows = Settings::options();
    for (const auto& row : rows) sink.names.emplace_back(row.name);
    sink.take = [read, rows, &list](Index index, std::string_view text) {
        std::string violation = assign(rows[index], *read, text);
        if (violation.empty()) append_setting(rows[index], *read, list);
        return violation;
    };
    sink.take_list = [read, rows, &list](Index index, const std::vector<std::string>& values) {
        if (!assign_list(rows[index], *read, values)) return false;
        append_setting(rows[index], *read, list);
        return true;
    };
    return sink;
}

template <class Settings>
LearnerKind make_kind(std::string name, decltype(LearnerKind::open) open) {
    LearnerKind kind{std::move(name), {}, recording_sink<Settings>, open};
    for (const auto& row : Settings::options()) {
        const bool file = row.value.find("FILE") != row.value.npos || row.value.find("DIR") != row.value.npos;
        kind.options.push_back({std::string(row.name), file});
    }
    return kind;
}

}  // namespace

std::span<const LearnerKind> learner_kinds() {
    static const std::vector<LearnerKind> kinds{make_kind<LearnSettings>("learn", open_served_learn),
                                                make_kind<RouteSettings>("route", open_served_route)};
    return kinds;
}

const LearnerKind& find_learner_kind(const std::string& name) {
    return find_row(learner_kinds(), "kind of learner", name);
}

std::unique_ptr<ServedRun> open_served_run(const std::string& kind, const SettingList& settings,
                                           const std::string& version) {
    return find_learner_kind(kind).open(settings, version);
}

}  // namespace proxstream
