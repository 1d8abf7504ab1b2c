#include "proxstream/loss/row_block.hpp"

#include <cassert>

namespace proxstream {

void RowBlock::clear() {
    values_.clear();
    indices_.clear();
    offsets_.resize(1);
    targets_.clear();
}

void RowBlock::add_dense(ConstView features, Real target) {
    assert(!sparse_ && (rows() == 0 || features.size() == values(0).size()));
    values_.insert(values_.end(), features.begin(), features.end());
    offsets_.push_back(values_.size());
    targets_.push_back(target);
}

void RowBlock::add_sparse(std::span<const FeatureIndex> indices, ConstView values, Real target) {
    assert(sparse_ && indices.size() == values.size());
    values_.insert(values_.end(), values.begin(), values.end());
    indices_.insert(indices_.end(), indices.begin(), indices.end());
    offsets_.push_back(values_.size());
    targets_.push_back(target);
}

}  // namespace proxstream
