/// A registered loss of single rows as a family: windows, chunks and threads are those of the built-in
/// losses.
#pragma once

#include "proxstream/loss/row_loss.hpp"

#include "loss/row_batch.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

namespace proxstream {

class RowLossFamily final : public StoredFamily<RowLossFamily> {
  public:
    /// Throws ConfigError, naming the loss, if there is none, x would be empty, more coordinates are
    /// penalised than there are, or a loss of categories has fewer than two classes.
    RowLossFamily(std::string_view name, std::shared_ptr<const RowLoss> loss, Index features);

    Index features() const override { return features_; }
    Index dimension() const override { return dimension_; }
    Index penalised() const override { return loss_->penalised(); }
    TargetKind target_kind() const override { return loss_->target_kind(); }
    Index classes() const override { return loss_->classes(); }
    Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const override;
    /// The mean over the rows.
    std::optional<Real> smoothness(const RowBlock& record) const override;
    std::optional<Real> mean_square_smoothness(const RowBlock& record) const override;
    Real infimum() const override { return loss_->infimum(); }
    void start(View x, std::uint64_t seed) const override { loss_->start(x, seed); }
    std::exception_ptr take_failure() const override;
    Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
              Scratch& scratch) const override;
    Index work(Index rows, Index stored) const override;

  private:
    /// The first exception of a row since it was taken; passes run on several threads.
    struct Failure {
        std::mutex mutex;
        std::exception_ptr first;
    };
    Real row_loss(ConstView features, Real target, ConstView x, View gradient) const;

    std::shared_ptr<const RowLoss> loss_;
    std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
    Index features_;
    Index dimension_;
};

}  // namespace proxstream
