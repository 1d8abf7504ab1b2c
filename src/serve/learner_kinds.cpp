#include "serve/learner_kinds.hpp"

#include "core/find_row.hpp"
#include "route/route_settings.hpp"
#include "run/learn_settings.hpp"

#include <memory>

namespace proxstream {
namespace {

template <class Settings, std::span<const OptionRow<Settings>> (*rows)()>
SettingsSink recording_sink(SettingList& list) {
    const auto scratch = std::make_shared<Settings>();  // values are read into it to see whether they can be
    SettingsSink sink;
    for (const auto& row : rows()) sink.names.emplace_back(row.name);
    // A list has an entry an element.
    const auto add = [scratch, &list](const OptionRow<Settings>& row) {
        const auto* texts = std::get_if<std::vector<std::string> Settings::*>(&row.member);
        if (texts == nullptr) return void(list.emplace_back(row.name, present(row, *scratch)));
        for (const std::string& text : (*scratch).**texts) list.emplace_back(row.name, text);
    };
    sink.take = [scratch, add](Index index, std::string_view text) {
        std::string violation = assign(rows()[index], *scratch, text);
        if (violation.empty()) add(rows()[index]);
        return violation;
    };
    sink.take_list = [scratch, add](Index index, const std::vector<std::string>& values) {
        if (!assign_list(rows()[index], *scratch, values)) return false;
        add(rows()[index]);
        return true;
    };
    return sink;
}

template <class Settings, std::span<const OptionRow<Settings>> (*rows)()>
LearnerKind make_kind(std::string name) {
    LearnerKind kind{std::move(name), {}, recording_sink<Settings, rows>};
    for (const auto& row : rows()) {
        const bool file = row.value.find("FILE") != row.value.npos || row.value.find("DIR") != row.value.npos;
        kind.options.push_back({std::string(row.name), file});
    }
    return kind;
}

}  // namespace

std::span<const LearnerKind> learner_kinds() {
    static const std::vector<LearnerKind> kinds{make_kind<LearnSettings, learn_options>("learn"),
                                                make_kind<RouteSettings, route_options>("route")};
    return kinds;
}

const LearnerKind& find_learner_kind(const std::string& name) {
    return find_row(learner_kinds(), "kind of learner", name);
}

}  // namespace proxstream
