#include "studies/corrupted_reader.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/spec.hpp"

#include <cmath>

namespace proxstream {
namespace {

constexpr std::uint32_t kPurpose = 0x636f7272;  // so that other draws of the same seed differ

}  // namespace

Real CorruptedReader::error(Real deviation) const {
    const Draw chosen{.seed = options_.seed, .round = rows_, .record = kPurpose, .step = 0, .sample = 0};
    if (uniform(chosen) >= options_.share) return 0;
    Draw sign = chosen;
    sign.sample = 1;
    return uniform(sign) < 0.5 ? -options_.scale * deviation : options_.scale * deviation;
}

bool CorruptedReader::read_row(RowBlock& block) {
    if (!inner().read_row(block)) return false;
    const Index row = block.rows() - 1;
    const Real clean = block.target(row);
    ++rows_;
    if (rows_ > 2) {
        const Real moved = clean + error(std::sqrt(m2_ / static_cast<Real>(rows_ - 1)));
        if (std::isfinite(moved)) block.set_target(row, moved);
    }
    const Real before = clean - mean_;
    mean_ += before / static_cast<Real>(rows_);
    m2_ += before * (clean - mean_);
    return true;
}

void CorruptedReader::serialise(StateArchive& archive) {
    WrappedReader::serialise(archive);
    archive.fields(Field{"rows", rows_}, Field{"mean", mean_}, Field{"m2", m2_});
}

std::vector<std::string> CorruptedReader::notes() const {
    std::vector<std::string> notes = inner().notes();
    notes.push_back("CORRUPTED ON PURPOSE: a share of " + format_short(options_.share) +
                    " of the labels is moved by " + format_short(options_.scale) +
                    " running standard deviations");
    return notes;
}

WrapRows corrupt_labels(const CorruptOptions& options) {
    return [options](std::unique_ptr<RowReader> rows) -> std::unique_ptr<RowReader> {
        return std::make_unique<CorruptedReader>(std::move(rows), options);
    };
}

}  // namespace proxstream
