#include "run/turn_run.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <unistd.h>

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

bool same_windows(const LearnerFacts& a, const LearnerFacts& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

void require_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::absolute(path).parent_path().string();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw IoError(path, "cannot be opened for writing", errno);
}

}  // namespace proxstream
