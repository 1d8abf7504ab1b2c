#include "run/turn_run.hpp"

#include "io/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

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

bool same_windows(const RunHeader& a, const RunHeader& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

void RunOutcome::save_or_rescue(const std::string& path, const std::string& text, const std::string& what) {
    if (!guarded([&] { write_whole_file(path, text); }) && path != "-") rescue(text, what);
}

void RunOutcome::rescue(const std::string& text, const std::string& what) {
    guarded([&] {
        std::error_code problem;
        const std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
        if (problem) throw IoError("the temporary folder (TMPDIR)", "cannot be used", problem.value());
        std::string path = (folder / ("proxstream-" + what + "-XXXXXX.json")).string();
        constexpr int kSuffix = 5;
        // An exclusive new name, so that no other user can have prepared the file.
        const int descriptor = mkstemps(path.data(), kSuffix);
        if (descriptor < 0) throw IoError(path, "cannot be opened for writing", errno);
        ::close(descriptor);
        try {
            write_whole_file(path, text);
        } catch (const IoError&) {
            ::unlink(path.c_str());
            throw;
        }
        problems.push_back(path + ": has the " + what + " instead");
    });
}

}  // namespace proxstream
