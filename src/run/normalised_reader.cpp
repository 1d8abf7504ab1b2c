#include "run/normalised_reader.hpp"

#include "proxstream/core/linalg.hpp"

namespace proxstream {

bool NormalisedReader::read_row(RowBlock& block) {
    row_.clear();
    if (!inner().read_row(row_)) return false;
    const ConstView values = row_.values(0);
    // Divide by the largest value first: squares of very large or very small numbers overflow or vanish.
    const Real largest = max_abs(values);
    scaled_.assign(values.begin(), values.end());
    if (largest > 0) {
        for (Real& value : scaled_) value /= largest;
        const Real length = norm(scaled_);
        for (Real& value : scaled_) value /= length;
    }
    block.add_row(row_, 0);
    copy(scaled_, block.change_values(block.rows() - 1));
    return true;
}

std::vector<std::string> NormalisedReader::notes() const {
    std::vector<std::string> notes = inner().notes();
    notes.emplace_back("rows are scaled to length 1");
    return notes;
}

}  // namespace proxstream
