#include "store/noted_files.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"

#include <cstdint>
#include <filesystem>

namespace proxstream {
namespace {

std::uintmax_t bytes_of(const std::string& path) {
    std::error_code problem;
    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    return problem ? 0 : size;
}

}  // namespace

std::string note_files(const std::vector<std::string>& paths) {
    nlohmann::json sizes = nlohmann::json::object();
    for (const std::string& path : paths)
        if (is_regular_file(path)) sizes[path] = bytes_of(path);
    return sizes.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool all_there(std::string_view note) {
    const auto sizes = nlohmann::json::parse(note, nullptr, false);
    if (!sizes.is_object()) return false;
    for (const auto& [path, size] : sizes.items())
        if (!is_regular_file(path) || size != bytes_of(path)) return false;
    return true;
}

}  // namespace proxstream
