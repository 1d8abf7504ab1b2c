#include "proxstream/loss/row_block.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/checksum.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace proxstream {

void RowBlock::clear() {
    values_.clear();
    indices_.clear();
    offsets_.resize(1);
    targets_.clear();
    weights_.clear();
}

void RowBlock::add_row(const RowBlock& from, Index row) {
    if (sparse_) {
        add_sparse(from.indices(row), from.values(row), from.target(row));
    } else {
        add_dense(from.values(row), from.target(row));
    }
    set_weight(rows() - 1, from.weight(row));
}

void RowBlock::remove_last() {
    offsets_.pop_back();
    values_.resize(offsets_.back());
    if (sparse_) indices_.resize(offsets_.back());
    targets_.pop_back();
    if (!weights_.empty()) weights_.pop_back();
}

void RowBlock::set_weight(Index row, Real weight) {
    if (!(weight >= 0 && weight < kInfinity)) {
        throw ConfigError("the weight of a row is finite and at least 0, not " + std::to_string(weight));
    }
    if (this->weight(row) == weight) return;
    if (weights_.empty()) weights_.assign(rows(), 1);
    weights_[row] = weight;
    const auto is_one = [](Real each) { return each == 1; };
    if (weight == 1 && std::all_of(weights_.begin(), weights_.end(), is_one)) weights_.clear();
}

void RowBlock::round_to_single() {
    for (Real& value : values_) value = static_cast<float>(value);
}

void RowBlock::add_dense(ConstView features, Real target) {
    if (sparse_) throw ConfigError("a dense row cannot be added to a block of sparse rows");
    if (rows() > 0 && features.size() != values(0).size()) {
        throw ConfigError("a row of " + std::to_string(features.size()) +
                          " features cannot be added to rows of " + std::to_string(values(0).size()));
    }
    values_.insert(values_.end(), features.begin(), features.end());
    offsets_.push_back(values_.size());
    targets_.push_back(target);
    if (!weights_.empty()) weights_.push_back(1);
}

void RowBlock::add_sparse(std::span<const FeatureIndex> indices, ConstView values, Real target) {
    if (!sparse_) throw ConfigError("a sparse row cannot be added to a block of dense rows");
    if (indices.size() != values.size()) {
        throw ConfigError("a sparse row has " + std::to_string(indices.size()) + " indices and " +
                          std::to_string(values.size()) + " values; there must be one of each");
    }
    if (std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) != indices.end()) {
        throw ConfigError("the indices of a sparse row must ascend, none of them twice");
    }
    values_.insert(values_.end(), values.begin(), values.end());
    indices_.insert(indices_.end(), indices.begin(), indices.end());
    offsets_.push_back(values_.size());
    targets_.push_back(target);
    if (!weights_.empty()) weights_.push_back(1);
}

void RowBlock::add_to(Checksum& checksum) const {
    checksum.add(rows());
    checksum.add(targets());
    checksum.add(all_values());
    if (!weights_.empty()) checksum.add(weights());
    for (Index row = 0; sparse_ && row < rows(); ++row) {
        checksum.add(indices(row).size());
        for (const FeatureIndex index : indices(row)) checksum.add(index);
    }
}

void RowBlock::serialise(StateArchive& archive) {
    archive.fields(Field{"sparse", sparse_}, Field{"values", values_}, Field{"indices", indices_},
                   Field{"offsets", offsets_}, Field{"targets", targets_}, Field{"weights", weights_});
    if (!archive.reading()) return;
    archive.require(weights_.empty() || weights_.size() == targets_.size(), "a weight for each row");
    for (const Real weight : weights_)
        archive.require(weight >= 0 && weight < kInfinity, "weights that are finite and at least 0");
    archive.require(offsets_.size() == targets_.size() + 1 && offsets_.front() == 0 &&
                        offsets_.back() == values_.size() &&
                        std::is_sorted(offsets_.begin(), offsets_.end()) &&
                        indices_.size() == (sparse_ ? values_.size() : 0),
                    "whole rows");
    for (Index row = 0; row < rows(); ++row) {
        if (sparse_) {
            const auto own = indices(row);
            const auto falls = std::adjacent_find(own.begin(), own.end(), std::greater_equal<>());
            archive.require(falls == own.end(), "indices that ascend");
        } else {
            archive.require(values(row).size() == values(0).size(), "rows of one length");
        }
    }
}

}  // namespace proxstream
