/// A few rows of each record in place of all of them.
#pragma once

#include "window/oracle.hpp"

#include <algorithm>
#include <optional>

namespace proxstream {

class MinibatchOracle final : public GradientOracle {
  public:
    /// `samples` rows of each record an answer, drawn with replacement or without. Without it, a record that
    /// has no more rows than asked for is evaluated whole. `base_noise` is sigma_0, the root mean square
    /// distance of a row's gradient from its record's; nullopt: not known. No record has more than
    /// `record_rows` rows; 0: not known.
    MinibatchOracle(std::uint64_t samples, bool replace, std::optional<Real> base_noise, Index record_rows)
        : samples_(samples), replace_(replace), base_noise_(base_noise), record_rows_(record_rows) {}

    std::uint64_t samples() const override { return samples_; }
    /// Without replacement the mean of b of R rows has (R - b)/(R - 1) of the variance that b free draws
    /// have.
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const override;
    void estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const override;
    void answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                View out) const override;
    void difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                    View out) const override;

  private:
    Index taken(Index rows, std::uint64_t samples) const {
        return replace_ ? samples : std::min<Index>(rows, samples);
    }
    /// Fills `rows` with rows of a record that has `count` of them.
    void draw_rows(Draw draw, Index count, std::span<Index> rows, Scratch& scratch) const;

    std::uint64_t samples_;
    bool replace_;
    std::optional<Real> base_noise_;
    Index record_rows_;
};

}  // namespace proxstream
