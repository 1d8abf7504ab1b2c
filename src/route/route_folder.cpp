#include "route/route_folder.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/io/output_file.hpp"

#include "route/route_tables.hpp"

#include <cerrno>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace proxstream {
namespace {

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

bool is_ours(const std::string& folder) {
    const std::string path = path_in(folder, route_tables::kRun);
    if (!std::filesystem::is_regular_file(path)) return false;
    const auto run = nlohmann::json::parse(read_whole_file(path), nullptr, false);
    return run.is_object() && run.value("program", nlohmann::json()) == route_tables::kProgram;
}

}  // namespace

std::string path_in(const std::string& folder, std::string_view file) {
    return (std::filesystem::path(folder) / file).string();
}

void claim_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        throw IoError(folder, "cannot be made a folder", error ? error.value() : ENOTDIR);
    }
    if (is_ours(folder)) return;
    for (const std::string_view file : route_tables::kAllFiles) {
        const std::string path = path_in(folder, file);
        if (!is_there(path)) continue;
        throw ConfigError("out = '" + folder + "': " + std::string(file) +
                          " is there and not of a routing run; name an empty folder, or one of a run before");
    }
}

void clear_folder(const std::string& folder) {
    for (const std::string_view file : route_tables::kAllFiles) {
        const std::string path = path_in(folder, file);
        std::error_code error;
        if (file != route_tables::kRun && std::filesystem::remove(path, error); error) {
            throw IoError(path, "cannot be removed", error.value());
        }
    }
}

}  // namespace proxstream
