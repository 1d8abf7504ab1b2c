#include "proxstream/core/error.hpp"

#include <cstring>
#include <utility>

namespace proxstream {
namespace {

std::string join_lines(const std::vector<std::string>& violations) {
    std::string text;
    for (const std::string& violation : violations) {
        if (!text.empty()) text += '\n';
        text += violation;
    }
    return text;
}

std::string locate(const DataLocation& where) {
    std::string text = where.source;
    if (where.line != 0) text += ":" + std::to_string(where.line);
    if (where.column != 0) text += ", column " + std::to_string(where.column);
    if (!where.field.empty()) text += " (" + where.field + ")";
    return text;
}

}  // namespace

ConfigError::ConfigError(std::string violation) : ConfigError(std::vector{std::move(violation)}) {}

ConfigError::ConfigError(std::vector<std::string> violations)
    : Error(join_lines(violations)), violations_(std::move(violations)) {}

DataError::DataError(DataLocation where, const std::string& problem, const std::string& expected)
    : Error(locate(where) + ": " + problem + (expected.empty() ? "" : "; expected " + expected)),
      where_(std::move(where)) {}

IoError::IoError(const std::string& path, const std::string& action, int error_number)
    : Error(path + ": " + action + ": " + std::strerror(error_number)), error_number_(error_number) {}

}  // namespace proxstream
