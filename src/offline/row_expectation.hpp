/// f(x) = the expectation of a family's loss over random rows. A number gives the same row at every point.
#pragma once

#include "loss/pass_family.hpp"
#include "offline/sampled_loss.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace proxstream {

/// Fills the features of a sample's row and returns its target; a pure function, called from several threads
/// at once.
using RowLaw = std::function<Real(SampleId sample, View features)>;

class RowExpectation final : public SampledLoss {
  public:
    RowExpectation(std::shared_ptr<const PassFamily> family, RowLaw law,
                   std::optional<SmoothnessFacts> smoothness = {});

    Index dimension() const override { return family_->dimension(); }
    std::uint64_t components() const override { return 0; }
    /// Draws the rows in pieces that are added in their order: the same bits for any number of threads.
    Real mean(std::span<const SampleId> samples, ConstView x, View gradient, Scratch& scratch) const override;
    Real f(ConstView x, View gradient, Scratch& scratch) const override;
    std::optional<SmoothnessFacts> smoothness() const override { return smoothness_; }
    Real infimum() const override { return family_->infimum(); }

    const PassFamily& family() const noexcept { return *family_; }

  private:
    Real piece(std::span<const SampleId> samples, Real share, ConstView x, View gradient,
               Scratch& scratch) const;

    std::shared_ptr<const PassFamily> family_;
    RowLaw law_;
    std::optional<SmoothnessFacts> smoothness_;
};

}  // namespace proxstream
