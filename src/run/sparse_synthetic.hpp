/// A built-in stream of sparse rows, of any size: `builtin:sparse,rows=1000000,columns=100000,nonzeros=50`.
/// Some columns occur in most rows and most columns in few, as words do. Row t is a pure function of the seed
/// and t.
#pragma once

#include "run/row_reader.hpp"

#include <string_view>

namespace proxstream {

struct SparseSyntheticOptions {
    static constexpr std::string_view kName = "sparse";

    std::uint64_t rows = 1'000'000;
    Index columns = 100'000;
    Index nonzeros = 50;  // values a row
    std::uint64_t seed = 1;
    Real skew = 3;      // column c occurs with frequency proportional to c^(1/skew - 1); 1: uniform
    Real active = 0.1;  // share of non-zero weights
    Real noise = 0.1;   // deviation of the normal noise; the noiseless response has deviation about 1

    /// Parses the text after "builtin:", such as "sparse,rows=1000". Throws ConfigError.
    static SparseSyntheticOptions parse(std::string_view text);
};

/// Rows y = a.w + noise, with normal values of a, and |a| about 1. A `sign` target is the sign of y.
class SparseSyntheticReader final : public RowReader {
  public:
    /// Throws ConfigError with every option out of range, or for a categorical target.
    explicit SparseSyntheticReader(SparseSyntheticOptions options, TargetKind target = TargetKind::number);

    bool read_row(RowBlock& block) override;
    Index features() const override { return options_.columns; }
    bool sparse() const override { return true; }
    const std::vector<std::string>& feature_names() const override { return names_; }
    const std::string& source() const override { return source_; }
    std::uint64_t line() const override { return next_row_ - 1; }

    /// The true weights.
    ConstView weights() const noexcept { return weights_; }

  private:
    SparseSyntheticOptions options_;
    TargetKind target_;
    std::string source_;
    std::vector<std::string> names_;  // always empty
    std::vector<Real> weights_;
    std::uint64_t next_row_ = 1;
    std::vector<FeatureIndex> indices_;
    std::vector<Real> values_;
};

}  // namespace proxstream
