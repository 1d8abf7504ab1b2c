#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "serve/served_learn.hpp"
#include "serve/served_route.hpp"
#include "serve/served_run.hpp"

#include <array>
#include <string_view>

namespace proxstream {
namespace {

struct ServedKind {
    std::string_view name;
    std::unique_ptr<ServedRun> (*open)(const SettingList& settings, const std::string& version);
};

constexpr std::array kKinds{
    ServedKind{"learn", open_served_learn},
    ServedKind{"route", open_served_route},
};

}  // namespace

std::unique_ptr<ServedRun> open_served_run(const std::string& kind, const SettingList& settings,
                                           const std::string& version) {
    return find_row(kKinds, "kind of learner", kind).open(settings, version);
}

}  // namespace proxstream
