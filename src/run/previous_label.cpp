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
        for (const Real target : record.targets()) sum_ += evaluate(*loss_, score, target).value;
        rows_ += record.rows();
    }
    label_ = labels.back();
}

std::optional<Real> PreviousLabel::loss() const {
    if (rows_ == 0) return std::nullopt;
    return sum_ / static_cast<Real>(rows_);
}

}  // namespace proxstream
