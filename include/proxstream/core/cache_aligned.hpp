/// Memory that starts on a cache line: a wide load that straddles two of them costs twice.
#pragma once

#include "proxstream/core/types.hpp"

#include <new>
#include <vector>

namespace proxstream {

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};
    CacheAligned() = default;
    template <class U>
    explicit CacheAligned(const CacheAligned<U>& /*other*/) noexcept {}
    T* allocate(Index count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
    void deallocate(T* memory, Index /*count*/) noexcept { ::operator delete(memory, kLine); }
    friend bool operator==(const CacheAligned&, const CacheAligned&) = default;
};

template <class T>
using CacheAlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace proxstream
