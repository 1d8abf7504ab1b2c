/// Working memory that is an argument, so that const operators stay thread-safe and inner loops do not
/// allocate: after the first calls the arena has its final size.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace proxstream {

/// A stack of buffers. Take memory through a Frame; it is handed back when the frame ends.
class Scratch {
  public:
    class Frame {
      public:
        explicit Frame(Scratch& scratch) : scratch_(scratch), block_(scratch.block_), used_(scratch.used_) {}
        ~Frame() {
            scratch_.block_ = block_;
            scratch_.used_ = used_;
        }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

        /// Uninitialised memory for `count` values.
        template <class T = Real>
        std::span<T> take(Index count) {
            static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
            return {static_cast<T*>(scratch_.take_bytes(count * sizeof(T))), count};
        }

      private:
        Scratch& scratch_;
        Index block_;
        Index used_;
    };

    /// An arena of its own for part `i` of work done at the same time, kept for the next time. Ask for the
    /// last one before the work begins: asking for more than there are makes room, which no part may wait
    /// for.
    Scratch& part(Index i);

    /// Bytes held, for tests that memory stays bounded.
    Index capacity() const noexcept;

  private:
    static constexpr Index kAlignment = 64;
    struct Release {
        void operator()(std::byte* memory) const noexcept;
    };
    struct Block {
        std::unique_ptr<std::byte, Release> memory;
        Index size = 0;
    };

    void* take_bytes(Index bytes);

    std::vector<Block> blocks_;
    std::vector<std::unique_ptr<Scratch>> parts_;
    Index block_ = 0;  // the block in use
    Index used_ = 0;   // bytes taken from it
};

}  // namespace proxstream
