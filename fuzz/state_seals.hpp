/// States whose checksum is corrected: otherwise it would refuse everything before a run is touched.
#pragma once

#include "proxstream/core/state_archive.hpp"

#include "core/checksum.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace proxstream::fuzz {

/// The saved state with this payload.
inline std::string sealed_state(std::string_view payload) {
    std::string out = StateArchive().seal();  // of nothing: ends in a length and a checksum
    out.resize(out.size() - 2 * sizeof(std::uint64_t));
    const auto append = [&](std::uint64_t word) {
        out.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    append(payload.size());
    out += payload;
    Checksum checksum;
    checksum.add(out);
    append(checksum.value());
    return out;
}

/// What stands between the opening of a state and its checksum.
inline std::string content_of_state(const std::string& state) {
    const std::size_t frame = StateArchive().seal().size();
    return state.substr(frame - sizeof(std::uint64_t), state.size() - frame);
}

}  // namespace proxstream::fuzz
