#include "proxstream/prox/block_layout.hpp"

#include "core/violations.hpp"

namespace proxstream {

BlockLayout BlockLayout::uniform(Index size) {
    require(size > 0, "size = 0 must be at least 1");
    BlockLayout layout;
    layout.size_ = size;
    return layout;
}

BlockLayout BlockLayout::of_sizes(const std::vector<Index>& sizes) {
    Violations violations;
    violations.require(!sizes.empty(), "sizes: the list is empty");
    BlockLayout layout;
    layout.offsets_.reserve(sizes.size() + 1);
    layout.offsets_.push_back(0);
    for (Index k = 0; k < sizes.size(); ++k) {
        violations.require(sizes[k] > 0, "sizes[{}] = 0 must be at least 1", k);
        const Index begin = layout.offsets_.back();
        violations.require(begin + sizes[k] >= begin, "sizes[{}] = {}: the sum of the sizes is too large", k,
                           sizes[k]);
        layout.offsets_.push_back(begin + sizes[k]);
    }
    violations.conclude();
    return layout;
}

void BlockLayout::check_dimension(Index n) const {
    if (offsets_.empty()) {
        require(n % size_ == 0, "{} coordinates cannot be cut into blocks of {}", n, size_);
    } else {
        require(n == offsets_.back(), "the sizes of {} blocks add up to {}, but there are {} coordinates",
                fixed_count(), offsets_.back(), n);
    }
}

}  // namespace proxstream
