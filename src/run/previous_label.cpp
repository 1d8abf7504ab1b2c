#include "run/previous_label.hpp"

namespace proxstream {

void PreviousLabel::add(const RowBlock& record, const RecordStream& stream) {
    if (!loss_ || record.rows() == 0) return;
    const ConstView labels = stream.labels(record);
    if (label_ == label_) {
        Real score = label_;
        if (const auto& scale = stream.label_scale()) {
            // Each record has a label scale of its own.
            const Real shift = scale->restored(0);
            const Real deviation = scale->restored(1) - shift;
            score = deviation > 0 ? (label_ - shift) / deviation : 0;
        }
        for (Index row = 0; row < record.rows(); ++row)
            sum_ += record.weight(row) * evaluate(*loss_, score, record.target(row)).value;
        rows_ += record.rows();
    }
    label_ = labels.back();
}

std::optional<Real> PreviousLabel::loss() const {
    if (rows_ == 0) return std::nullopt;
    return sum_ / static_cast<Real>(rows_);
}

}  // namespace proxstream
