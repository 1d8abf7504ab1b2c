/// Running standardisation of a numeric label: a record's labels are shifted and scaled by the mean and the
/// standard deviation of the labels before that record, so that nothing about a label is used before it was
/// predicted. Losses with a scale of their own (huber, cauchy, ...) need it: their c is in units of the
/// label.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include "run/row_reader.hpp"
#include "run/standardiser.hpp"

#include <vector>

namespace proxstream {

class LabelScale {
  public:
    LabelScale() : statistics_(1) {}
    /// Goes on from saved statistics; throws ConfigError if they are not of one column.
    explicit LabelScale(Standardiser statistics);

    const Standardiser& statistics() const noexcept { return statistics_; }

    /// Throws DataError if the label of a row, the reader's last one, is too large to be counted.
    static void check(const RowBlock& rows, Index row, const RowReader& reader);
    /// Scales a checked record's labels, then counts them. Until two different labels have been seen there is
    /// no scale: labels become 0.
    void apply(RowBlock& record);
    /// Predictions to come are for rows after all labels that were counted.
    void settle();
    /// A prediction in the units of the data, for the last applied record or since settle().
    Real restored(Real prediction) const { return shift_ + deviation_ * prediction; }
    /// The labels of the last applied record as they were.
    ConstView labels() const noexcept { return labels_; }

    void serialise(StateArchive& archive);

  private:
    Standardiser statistics_;
    Real shift_ = 0;
    Real deviation_ = 0;
    std::vector<Real> labels_;
};

}  // namespace proxstream
