/// Work spread over threads. Only where results do not depend on it: a loop writes what belongs to its own
/// index, and whoever adds the parts up does so in the order of the indices.
#pragma once

#include "proxstream/core/types.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace proxstream {

inline constexpr Index kMostThreads = 1024;

/// How many threads loops may use from now on, up to kMostThreads; 0: as many as the machine has. One, as at
/// the start, keeps everything in the calling thread. Not to be called while a loop runs.
void set_threads(Index count);
Index threads() noexcept;

namespace detail {

void parallel_for(Index count, const void* body, void (*call)(const void* body, Index i));

/// Hands memory over to a loop's threads and back where tools that watch threads can see it: they do not look
/// into the library that does it as well.
inline std::atomic<std::uint64_t> hand_over{0};

}  // namespace detail

/// body(i) for every i < count, in any order and at the same time.
template <class Body>
void parallel_for(Index count, const Body& body) {
    detail::hand_over.fetch_add(1, std::memory_order_release);
    const auto call = [](const void* erased, Index i) {
        detail::hand_over.load(std::memory_order_acquire);
        (*static_cast<const Body*>(erased))(i);
        detail::hand_over.fetch_add(1, std::memory_order_release);
    };
    detail::parallel_for(count, std::addressof(body), call);
    detail::hand_over.load(std::memory_order_acquire);
}

}  // namespace proxstream
