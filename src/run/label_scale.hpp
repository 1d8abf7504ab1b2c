/// Running standardisation of a numeric label. A record's labels are shifted and scaled by mean and standard
/// deviation of the labels before that record. So nothing about a label is used before it was predicted.
/// Losses with a scale of their own (huber, cauchy, ...) need it, because their c is in units of the label.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include "run/row_reader.hpp"
#include "run/standardiser.hpp"

#include <vector>

namespace proxstream {

class LabelScale {
  public:
    LabelScale() : statistics_(1) {}
    /// Continues with saved statistics; throws ConfigError if they do not have exactly one column.
    explicit LabelScale(Standardiser statistics);

    const Standardiser& statistics() const noexcept { return statistics_; }

    /// Throws DataError if the label of the reader's last row is too large to be counted.
    static void check(const RowBlock& rows, Index row, const RowReader& reader);
    /// Scales a checked record's labels, then counts them. Labels become 0 until two different labels were
    /// seen.
    void apply(RowBlock& record);
    /// From now on, restored() uses all labels counted so far.
    void settle();
    /// A prediction in the units of the data: for the last applied record, or as of settle().
    Real restored(Real prediction) const { return shift_ + deviation_ * prediction; }
    /// The labels of the last applied record, unscaled.
    ConstView labels() const noexcept { return labels_; }

    void serialise(StateArchive& archive);

  private:
    Standardiser statistics_;
    Real shift_ = 0;
    Real deviation_ = 0;
    std::vector<Real> labels_;
};

}  // namespace proxstream
