/// A small multi-layer perceptron with smooth activations. It has one output judged by a scalar loss
/// (regression, binary), or k outputs judged by softmax cross-entropy. f(x) is the mean over the record's
/// rows.
#pragma once

#include "loss/perceptron.hpp"
#include "loss/row_batch.hpp"
#include "loss/scalar_loss.hpp"

#include <span>
#include <vector>

namespace proxstream {

struct MlpOptions {
    Index features = 0;
    std::vector<Index> hidden = {16};  // the width of each hidden layer
    Activation activation = Activation::tanh;
    ScalarLoss loss;    // of the one output, where classes == 0
    Index classes = 0;  // 2 or more: softmax over that many outputs
};

/// x holds the parameters of a Perceptron: all weights, then all biases. Only weights count as penalised.
class MlpFamily final : public StoredFamily<MlpFamily> {
  public:
    /// Throws ConfigError naming every option that cannot be used.
    explicit MlpFamily(MlpOptions options);

    Index features() const override { return options_.features; }

    Index dimension() const override { return network_.dimension(); }
    Index penalised() const override { return network_.weights(); }
    TargetKind target_kind() const override;
    Index classes() const override { return options_.classes; }
    Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const override;
    bool has_probabilities() const override {
        return options_.classes > 0 || proxstream::has_probabilities(options_.loss.formula);
    }
    bool probabilities(const RowBlock& record, Index row, ConstView x, View out,
                       Scratch& scratch) const override;
    Real infimum() const override { return options_.classes > 0 ? 0 : proxstream::infimum(options_.loss); }
    /// Weights normal with variance 1 / inputs of their layer, biases 0.
    void start(View x, std::uint64_t seed) const override;

    /// One pass over weighted records (see PassFamily), a fixed number of rows at a time as matrix products.
    Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
              Scratch& scratch) const override;
    Index work(Index rows, Index /*stored*/) const override { return rows * network_.weights(); }

  private:
    MlpOptions options_;
    Perceptron network_;
};

}  // namespace proxstream
