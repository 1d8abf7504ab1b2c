/// A running checksum of 64 bits. It finds accidents, such as a torn file or a flipped bit, and never misses
/// a single changed word. It does not protect against malice.
#pragma once

#include "proxstream/core/types.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace proxstream {

class Checksum {
  public:
    explicit Checksum(std::uint64_t value = 0) : state_(value) {}

    /// The current value; pass it to the constructor to continue later.
    std::uint64_t value() const noexcept { return state_; }

    void add(std::uint64_t word) noexcept {
        // Each step can be undone, so two states that differ stay different.
        state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ULL;
        state_ ^= state_ >> 32U;
    }
    void add(ConstView values) noexcept {
        for (const Real value : values) add(std::bit_cast<std::uint64_t>(value));
    }
    void add(std::string_view bytes) noexcept {
        while (!bytes.empty()) {
            std::uint64_t word = 0;
            const std::size_t count = bytes.size() < sizeof word ? bytes.size() : sizeof word;
            std::memcpy(&word, bytes.data(), count);
            add(word);
            bytes.remove_prefix(count);
        }
    }

  private:
    std::uint64_t state_;
};

}  // namespace proxstream
