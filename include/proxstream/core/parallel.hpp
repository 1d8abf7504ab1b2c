/// Loops over several threads whose results do not depend on the number of threads. Each iteration writes
/// only what belongs to its own index; sums are then formed in the order of the indices.
#pragma once

#include "proxstream/core/types.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace proxstream {

/// Largest number of threads that set_threads accepts.
inline constexpr Index kMostThreads = 1024;

/// Sets how many threads loops use from now on, up to kMostThreads; 0 means as many as the machine has. The
/// initial value is 1: all work stays in the calling thread. Do not call it while a loop runs.
void set_threads(Index count);
/// The number of threads that loops use.
Index threads() noexcept;

/// Implementation details; not for use by programs.
namespace detail {

/// The untyped loop behind the template.
void parallel_for(Index count, const void* body, void (*call)(const void* body, Index i));

/// Makes the hand-over of memory between threads visible to thread sanitizers, which cannot see into the
/// threading library.
inline std::atomic<std::uint64_t> hand_over{0};

}  // namespace detail

/// Calls body(i) for every i < count, in any order and possibly at the same time.
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
