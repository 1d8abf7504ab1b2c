/// How a flat vector is divided into consecutive blocks.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

/// Divides a flat vector into consecutive blocks: all of one size, or each of its own. SimplexProduct,
/// GroupL2 and Blocks take one.
///
/// \code
/// const BlockLayout equal = BlockLayout::uniform(4);
/// const BlockLayout own = BlockLayout::of_sizes({3, 4, 5});
/// \endcode
class BlockLayout {
  public:
    /// Blocks of `size` > 0 coordinates each; their number follows from the length of the vector.
    static BlockLayout uniform(Index size);
    /// Blocks of the given sizes. Throws ConfigError if there is no block or one is empty.
    static BlockLayout of_sizes(const std::vector<Index>& sizes);

    /// Throws ConfigError unless the blocks cover exactly n coordinates.
    void check_dimension(Index n) const;
    /// Number of blocks of a vector of length n.
    Index count(Index n) const { return offsets_.empty() ? n / size_ : offsets_.size() - 1; }
    /// The number of blocks if the layout alone determines it, else 0.
    Index fixed_count() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

    /// Calls body(block, begin, size) for each block in order.
    template <class Body>
    void for_each(Index n, Body body) const {
        const Index blocks = count(n);
        if (offsets_.empty()) {
            for (Index k = 0; k < blocks; ++k) body(k, k * size_, size_);
        } else {
            for (Index k = 0; k < blocks; ++k) body(k, offsets_[k], offsets_[k + 1] - offsets_[k]);
        }
    }

  private:
    Index size_ = 0;
    std::vector<Index> offsets_;  // begin of each block and the end of the last; empty when uniform
};

}  // namespace proxstream
