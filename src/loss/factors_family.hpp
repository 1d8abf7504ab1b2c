/// A matrix seen entry by entry as a product of two thin ones. Each row gives the numbers i and j of an entry
/// and its value y. f(x) is the mean over the record's rows of phi(u_i . v_j; y). x holds u_1 ... u_M, then
/// v_1 ... v_N, each of `rank` numbers: groups of that size are rows of the factors.
#pragma once

#include "loss/row_batch.hpp"
#include "loss/scalar_loss.hpp"

#include <span>
#include <string>

namespace proxstream {

struct FactorsOptions {
    Index rank = 8;
    Index rows = 0;     // M
    Index columns = 0;  // N
    Index first = 1;    // the number of the first row and column
    ScalarLoss loss;
};

class FactorsFamily final : public StoredFamily<FactorsFamily> {
  public:
    /// Throws ConfigError naming every option that cannot be used.
    explicit FactorsFamily(FactorsOptions options);

    const FactorsOptions& options() const noexcept { return options_; }

    Index features() const override { return 2; }
    Index dimension() const override { return (options_.rows + options_.columns) * options_.rank; }
    Index penalised() const override { return dimension(); }
    TargetKind target_kind() const override { return proxstream::target_kind(options_.loss.formula); }
    Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const override;
    bool has_probabilities() const override { return proxstream::has_probabilities(options_.loss.formula); }
    bool probabilities(const RowBlock& record, Index row, ConstView x, View out,
                       Scratch& scratch) const override;
    Real infimum() const override { return proxstream::infimum(options_.loss); }
    /// Numbers that name no entry.
    std::string row_problem(const RowBlock& record, Index row) const override;
    /// Normal with variance 1 / rank: zeros would be a saddle.
    void start(View x, std::uint64_t seed) const override;

    /// One pass over weighted records (see PassFamily). A row reads and writes 2 rank numbers.
    Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
              Scratch& scratch) const override;
    Index work(Index rows, Index /*stored*/) const override { return rows * 2 * options_.rank; }

  private:
    FactorsOptions options_;
};

}  // namespace proxstream
