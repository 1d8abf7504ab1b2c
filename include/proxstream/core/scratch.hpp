/// Working memory as an argument: const operators stay thread-safe, and inner loops do not allocate once the
/// memory has grown to its final size.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace proxstream {

/// A stack of reusable buffers for temporary vectors. Take memory through a Frame; the frame gives it back
/// when it ends. One Scratch serves one thread at a time.
///
/// \code
/// Scratch scratch;
/// Scratch::Frame frame(scratch);
/// const View temporary = frame.take(100);
/// \endcode
class Scratch {
  public:
    /// The scope of temporary buffers: everything taken through it is given back when it is destroyed. Frames
    /// nest.
    class Frame {
      public:
        /// Opens a scope on top of those already open.
        explicit Frame(Scratch& scratch) : scratch_(scratch), block_(scratch.block_), used_(scratch.used_) {}
        ~Frame() {
            scratch_.block_ = block_;
            scratch_.used_ = used_;
        }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

        /// Uninitialised memory for `count` values, valid as long as the frame.
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

    /// A separate Scratch for part `i` of parallel work, kept for later calls. Ask for the highest part
    /// before the parallel work begins. Asking for one that does not exist yet allocates, which is not safe
    /// in parallel.
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
