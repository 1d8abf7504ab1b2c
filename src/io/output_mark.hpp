/// The end of a file that grows with a run. A saved state has one for every such file, so that a resumed run
/// finds out whether the file still begins with what was written before.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace proxstream {

struct OutputMark {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;  // of these bytes

    void add(std::string_view text);
    friend bool operator==(const OutputMark&, const OutputMark&) = default;
};

/// By path.
using OutputMarks = std::map<std::string, OutputMark>;

inline constexpr std::uint64_t kWholeFile = std::numeric_limits<std::uint64_t>::max();

/// The mark after the first `bytes` of the file, or after all of it if it has fewer.
OutputMark read_mark(const std::string& path, std::uint64_t bytes = kWholeFile);
/// Says what has become of the file since it was marked; "" if it still begins with the same bytes.
std::string change_since(const OutputMark& mark, const std::string& path);

}  // namespace proxstream
