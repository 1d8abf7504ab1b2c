#include "route/route_folder.hpp"

#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "io/output_file.hpp"
#include "route/route_tables.hpp"

#include <cerrno>
#include <filesystem>
#include <vector>

namespace proxstream {
namespace {

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

bool is_ours(const std::string& folder) {
    const std::string path = path_in(folder, route_tables::kRun);
    if (!std::filesystem::is_regular_file(path)) return false;
    const auto run = parse_json(read_whole_file(path));
    return run.is_object() && run.value("program", nlohmann::json()) == route_tables::kProgram;
}

/// A run of several epochs has several ledgers.
std::vector<std::string> find_ledgers(const std::string& folder) {
    std::vector<std::string> ledgers;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("ledger") && name.ends_with(".jsonl")) ledgers.push_back(entry.path().string());
    }
    return ledgers;
}

}  // namespace

std::string path_in(const std::string& folder, std::string_view file) {
    return (std::filesystem::path(folder) / file).string();
}

bool claim_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        throw IoError(folder, "cannot be made a folder", error ? error.value() : ENOTDIR);
    }
    if (is_ours(folder)) return true;
    for (const std::string_view file : route_tables::kAllFiles) {
        const std::string path = path_in(folder, file);
        if (!is_there(path)) continue;
        throw ConfigError("out = '" + folder + "': " + std::string(file) +
                          " is not from a routing run; name an empty folder, or that of an earlier run");
    }
    return false;
}

void clear_folder(const std::string& folder) {
    std::vector<std::string> old = find_ledgers(folder);
    for (const std::string_view file : route_tables::kAllFiles) {
        if (file != route_tables::kRun) old.push_back(path_in(folder, file));
    }
    for (const std::string& path : old) {
        std::error_code error;
        std::filesystem::remove(path, error);
        if (error) throw IoError(path, "cannot be removed", error.value());
    }
}

}  // namespace proxstream
