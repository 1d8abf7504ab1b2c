#include "proxstream/core/scratch.hpp"

#include <algorithm>
#include <new>

namespace proxstream {

void Scratch::Release::operator()(std::byte* memory) const noexcept {
    ::operator delete (memory, std::align_val_t{kAlignment});
}

Index Scratch::capacity() const noexcept {
    Index total = 0;
    for (const Block& block : blocks_) total += block.size;
    for (const auto& part : parts_) total += part->capacity();
    return total;
}

Scratch& Scratch::part(Index i) {
    while (parts_.size() <= i) parts_.push_back(std::make_unique<Scratch>());
    return *parts_[i];
}

void* Scratch::take_bytes(Index bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    // Blocks never move, so spans already handed out stay valid when a larger one has to be added.
    while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].size) {
        ++block_;
        used_ = 0;
    }
    if (block_ == blocks_.size()) {
        constexpr Index kSmallestBlock = Index{1} << 14;
        const Index size = std::max({bytes, kSmallestBlock, blocks_.empty() ? 0 : 2 * blocks_.back().size});
        auto* memory = static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlignment}));
        blocks_.push_back({std::unique_ptr<std::byte, Release>(memory), size});
        used_ = 0;
    }
    void* taken = blocks_[block_].memory.get() + used_;
    used_ += bytes;
    return taken;
}

}  // namespace proxstream
