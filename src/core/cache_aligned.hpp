/// Memory that starts on a cache line, because a wide load across two lines costs twice. Large blocks ask for
/// large pages, so that a pass over them looks up few addresses.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

namespace detail {

/// Throws std::bad_alloc. Free with as many bytes.
void* allocate_aligned(Index bytes);
void free_aligned(void* memory, Index bytes) noexcept;

}  // namespace detail

template <class T>
struct CacheAligned {
    using value_type = T;
    CacheAligned() = default;
    template <class U>
    explicit CacheAligned(const CacheAligned<U>& /*other*/) noexcept {}
    T* allocate(Index count) { return static_cast<T*>(detail::allocate_aligned(count * sizeof(T))); }
    void deallocate(T* memory, Index count) noexcept { detail::free_aligned(memory, count * sizeof(T)); }
    friend bool operator==(const CacheAligned&, const CacheAligned&) = default;
};

template <class T>
using CacheAlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace proxstream
