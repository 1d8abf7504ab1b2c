#include "run/turn_run.hpp"

#include <algorithm>

namespace proxstream {

RunIdentity make_identity(std::string kind, std::string title, SettingList settings,
                          std::vector<std::string> channels, const RunOrigin& origin) {
    return {.kind = std::move(kind),
            .version = origin.version,
            .command = origin.command,
            .title = std::move(title),
            .settings = std::move(settings),
            .channels = std::move(channels)};
}

bool same_windows(const RunHeader& a, const RunHeader& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

}  // namespace proxstream
