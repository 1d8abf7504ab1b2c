#include "faults/snapshot.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "support/stored_run.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace proxstream::faults {
namespace {

std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> parts;
    std::string part;
    std::istringstream stream(line);
    while (std::getline(stream, part, separator)) parts.push_back(part);
    return parts;
}

/// A table without the columns that hold seconds.
std::string timeless_table(const std::string& text) {
    std::string kept, line;
    std::vector<bool> clock;
    std::istringstream stream(text);
    while (std::getline(stream, line)) {
        const std::vector<std::string> fields = split(line, ',');
        if (clock.empty())
            for (const std::string& name : fields) clock.push_back(name.find("seconds") != std::string::npos);
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (i >= clock.size() || !clock[i]) kept += fields[i] + ",";
        // A file that ends within a line differs from one that does not.
        kept += stream.eof() ? "(no end of line)" : "\n";
    }
    return kept;
}

/// Without footers: their seals cover the seconds.
std::string timeless_lines(const std::string& text) {
    std::string kept, line;
    std::istringstream stream(text);
    while (std::getline(stream, line)) {
        if (line.starts_with(R"({"end":)")) line = "(footer)";
        kept += line + (stream.eof() ? "(no end of line)" : "\n");
    }
    return test::timeless(kept);
}

std::string store_content(const std::string& path) {
    const RunStore store(path);
    std::string text = test::store_text(store);
    text += store.state().finished ? "finished\n" : "not finished\n";
    text += test::timeless(store.certificate()) + "\n";
    for (const std::string& problem : store.verify()) text += problem + "\n";
    return text;
}

/// Unfinished replacements, and what SQLite and the lock of the writer may leave beside a store.
bool passing(const std::string& name) {
    return name.find(".part-") != std::string::npos || name.find(".run-") != std::string::npos;
}

bool is_page(const std::string& name) {
    return name.ends_with(".html");
}

std::string content(const std::string& path) {
    if (path.ends_with(".run")) return store_content(path);
    const std::string text = read_whole_file(path);
    if (path.ends_with(".csv")) return timeless_table(text);
    if (path.ends_with(".jsonl")) return timeless_lines(text);
    return test::timeless(text);
}

std::string first_difference(const std::string& a, const std::string& b) {
    const auto where = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                      b.begin())
            .first -
        a.begin());
    const std::size_t from = where > 20 ? where - 20 : 0;
    return fmt::format("{} bytes instead of {}, at {}: '{}' instead of '{}'", b.size(), a.size(), where,
                       b.substr(from, 50), a.substr(from, 50));
}

}  // namespace

Snapshot snapshot(const std::string& folder) {
    Snapshot files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string path = entry.path().string();
        const std::string name = path.substr(folder.size());
        if (!entry.is_regular_file() || passing(name)) continue;
        try {
            files[name] = content(path);
        } catch (const Error& error) {
            files[name] = error.what();
        }
    }
    return files;
}

std::string difference(const Snapshot& expected, const Snapshot& found) {
    for (const auto& [name, text] : expected) {
        const auto other = found.find(name);
        if (other == found.end()) return name + " is missing";
        // Pages show times of day; that there is a whole one must do.
        if (!is_page(name) && other->second != text)
            return name + " differs: " + first_difference(text, other->second);
    }
    for (const auto& [name, text] : found)
        if (!expected.contains(name)) return name + " is left over";
    return half_written(found);
}

std::string half_written(const Snapshot& files) {
    for (const auto& [name, text] : files) {
        const bool json = name.ends_with(".json") || name.ends_with(".geojson");
        // Without the seconds' values it is no JSON any more, but its brackets match all the same.
        const bool whole = is_page(name) ? text.find("</html>") != std::string::npos
                           : json        ? text.ends_with("}\n")
                                         : true;
        if (!whole) return name + " looks complete but is not";
    }
    return {};
}

}  // namespace proxstream::faults
