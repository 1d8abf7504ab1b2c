/// f(x) = mean over the rows of a data set of a family's loss. It needs no memory beyond the rows, except for
/// an aligned copy of dense rows that fit a cache.
#pragma once

#include "core/cache_aligned.hpp"
#include "loss/pass_family.hpp"
#include "offline/sampled_loss.hpp"

#include <memory>
#include <vector>

namespace proxstream {

class RowSum final : public SampledLoss {
  public:
    /// Throws Error if there are no rows or they do not fit the family.
    RowSum(std::shared_ptr<const PassFamily> family, RowBlock rows);

    Index dimension() const override { return family_->dimension(); }
    std::uint64_t components() const override { return rows_.rows(); }
    Real mean(std::span<const SampleId> samples, ConstView x, View gradient, Scratch& scratch) const override;
    /// In pieces of so many rows, added in their order: the same bits for any number of threads.
    Real f(ConstView x, View gradient, Scratch& scratch) const override;
    bool reduce(std::span<const Index> coordinates, ConstView x, ReducedRows& rows) const override;
    bool reducible() const override;
    std::optional<SmoothnessFacts> smoothness() const override;
    Real infimum() const override;

    const PassFamily& family() const noexcept { return *family_; }
    const RowBlock& rows() const noexcept { return rows_; }

  private:
    std::shared_ptr<const PassFamily> family_;
    RowBlock rows_;
    CacheAlignedVector<Real> aligned_;  // the same, if they are dense and not too many
    RecordRows all_;                    // of either
    std::vector<RecordRows> pieces_;    // the same, for passes over all rows
};

}  // namespace proxstream
