#include "io/output_plan.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {
namespace {

constexpr const char* kStandard = "-";

std::string identity_of(const struct stat& status) {
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

/// The same text for all names of a plain file, or of one that is still to be made; "" for anything else.
std::string identity(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
        if (!S_ISREG(status.st_mode)) return {};
        return identity_of(status);
    }
    std::error_code problem;
    std::filesystem::path place = path;
    if (std::filesystem::is_symlink(place, problem))
        place = place.parent_path() / std::filesystem::read_symlink(place, problem);
    const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(place), problem);
    return problem ? path : folder.string();
}

/// The same for a standard stream; "" if it is closed, a pipe, a terminal or another device.
std::string identity(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return identity_of(status);
}

/// Whether only its owner may replace a file of this folder (as in /tmp), and the owner is another user.
bool is_protected(const struct stat& file, const struct stat& folder) {
    const uid_t user = geteuid();
    return (folder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid && user != folder.st_uid;
}

void require_writable(const std::string& path) {
    const auto refuse = [&](const char* action, int problem) { throw IoError(path, action, problem); };
    struct stat file {};
    struct stat folder {};
    const bool exists = stat(path.c_str(), &file) == 0;
    if (exists && S_ISDIR(file.st_mode)) refuse("cannot be opened for writing", EISDIR);
    if (exists && access(path.c_str(), W_OK) != 0) refuse("cannot be opened for writing", errno);
    if (exists && !S_ISREG(file.st_mode)) return;
    std::error_code problem;
    const std::filesystem::path real =
        exists ? std::filesystem::canonical(path, problem) : std::filesystem::absolute(path, problem);
    const std::string place = real.parent_path().string();
    if (stat(place.c_str(), &folder) != 0 || access(place.c_str(), W_OK | X_OK) != 0)
        refuse(exists ? "cannot be replaced in its folder" : "cannot be opened for writing", errno);
    if (exists && is_protected(file, folder)) refuse("cannot be replaced in its folder", EPERM);
}

}  // namespace

void OutputPlan::add(std::string_view option, const std::string& path, Use use) {
    if (!path.empty() && path != kStandard) entries_.push_back({std::string(option), path, use});
    prints_ |= path == kStandard && use == Use::output;
}

void OutputPlan::reads(std::string_view option, const std::string& path) {
    add(option, path, Use::input);
}

void OutputPlan::writes(std::string_view option, const std::string& path) {
    add(option, path, Use::output);
}

void OutputPlan::writes_in(std::string_view option, const std::string& folder, std::string_view file) {
    add(option, (std::filesystem::path(folder) / file).string(), Use::output_in_folder);
}

void OutputPlan::check() const {
    // Rows may come from standard input though no option names it, and figures go to standard output.
    std::vector<Entry> entries = entries_;
    entries.push_back({"standard input", kStandard, Use::input});
    entries.push_back({"standard output", kStandard, Use::output});
    std::vector<std::string> violations;
    std::vector<std::string> identities;
    for (const Entry& entry : entries_) identities.push_back(identity(entry.path));
    identities.push_back(identity(STDIN_FILENO));
    identities.push_back(identity(STDOUT_FILENO));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& output = entries[i];
        const bool printed = output.path == kStandard;
        if (output.use == Use::input || identities[i].empty()) continue;
        for (std::size_t k = 0; k < entries.size(); ++k) {
            const bool input = entries[k].use == Use::input;
            if (identities[k] != identities[i] || (!input && (k >= i || (printed && !prints_)))) continue;
            violations.push_back(
                (printed ? output.option : "--" + output.option + " " + output.path) + ": is also " +
                (input ? "an input (" + entries[k].option + ")" : "the output of --" + entries[k].option) +
                "; nothing was written");
        }
    }
    if (!violations.empty()) throw ConfigError(violations);
    for (const Entry& entry : entries_)
        if (entry.use == Use::output && !in_new_folder(entry.path)) require_writable(entry.path);
}

/// Whether the run makes the folder of this file itself.
bool OutputPlan::in_new_folder(const std::string& path) const {
    std::error_code problem;
    const auto folder_of = [&](const std::string& file) {
        return std::filesystem::weakly_canonical(std::filesystem::path(file), problem).parent_path();
    };
    const std::filesystem::path folder = folder_of(path);
    if (std::filesystem::exists(folder, problem)) return false;
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& each) {
        return each.use == Use::output_in_folder && folder_of(each.path) == folder;
    });
}

}  // namespace proxstream
