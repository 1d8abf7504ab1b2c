#include "run/label_scale.hpp"

#include "proxstream/core/error.hpp"

#include <utility>

namespace proxstream {

LabelScale::LabelScale(Standardiser statistics) : statistics_(std::move(statistics)) {
    if (statistics_.features() != 1)
        throw ConfigError("label scale: the statistics of one column are needed");
}

void LabelScale::check(const RowBlock& rows, Index row, const RowReader& reader) {
    if (Standardiser::too_large(rows.targets().subspan(row, 1)))
        Standardiser::refuse({reader.source(), reader.line(), 0, reader.label_name()});
}

void LabelScale::settle() {
    shift_ = statistics_.state().mean[0];
    deviation_ = statistics_.deviation(0);
}

void LabelScale::apply(RowBlock& record) {
    settle();
    labels_.assign(record.targets().begin(), record.targets().end());
    for (Index row = 0; row < record.rows(); ++row) {
        const Real label = record.target(row);
        record.set_target(row, deviation_ > 0 ? (label - shift_) / deviation_ : 0);
        statistics_.update({&label, 1});
    }
}

void LabelScale::serialise(StateArchive& archive) {
    archive.fields(Field{"statistics", statistics_}, Field{"shift", shift_}, Field{"deviation", deviation_});
}

}  // namespace proxstream
