#include "core/cache_aligned.hpp"

#include <new>

#include <sys/mman.h>

namespace proxstream::detail {
namespace {

constexpr Index kLine = 64;
constexpr Index kLargePage = Index{2} << 20U;

bool is_large(Index bytes) {
    return bytes >= 4 * kLargePage;
}
std::align_val_t alignment_of(Index bytes) {
    return std::align_val_t{is_large(bytes) ? kLargePage : kLine};
}

}  // namespace

void* allocate_aligned(Index bytes) {
    void* const memory = ::operator new(bytes, alignment_of(bytes));
    // Advice only: the system may use small pages.
    if (is_large(bytes)) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return memory;
}

void free_aligned(void* memory, Index bytes) noexcept {
    ::operator delete(memory, alignment_of(bytes));
}

}  // namespace proxstream::detail
