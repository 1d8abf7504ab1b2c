/// The loss of predicting each label by the label before, for comparison: unlike the best constant, it
/// adapts.
#pragma once

#include "core/not_known.hpp"
#include "loss/scalar_loss.hpp"
#include "run/record_stream.hpp"

#include <cstdint>
#include <optional>

namespace proxstream {

class PreviousLabel {
  public:
    /// Without a loss of scores, loss() returns nothing.
    explicit PreviousLabel(std::optional<ScalarLoss> loss = {}) : loss_(loss) {}

    /// The prediction for all rows of a record is the last label of the record before.
    void add(const RowBlock& record, const RecordStream& stream);
    /// The mean loss; nullopt before the second record.
    std::optional<Real> loss() const;
    void serialise(StateArchive& archive) {
        archive.fields(Field{"label", label_}, Field{"loss sum", sum_}, Field{"rows", rows_});
    }

  private:
    std::optional<ScalarLoss> loss_;
    Real label_ = kNotKnown;  // in the units of the data
    Real sum_ = 0;
    std::uint64_t rows_ = 0;
};

}  // namespace proxstream
