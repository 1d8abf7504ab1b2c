#include "run/fed_reader.hpp"

namespace proxstream {
void FedReader::feed(const RowBlock& rows) {
    if (next_ == waiting_.rows()) {
        waiting_.clear();
        next_ = 0;
    }
    for (Index row = 0; row < rows.rows(); ++row) waiting_.add_row(rows, row);
}

bool FedReader::read_row(RowBlock& block) {
    if (next_ == waiting_.rows()) return false;
    block.add_row(waiting_, next_++);
    ++rows_;
    return true;
}

void FedReader::serialise(StateArchive& archive) {
    archive.field("rows", rows_);
    if (!archive.reading()) return;
    waiting_.clear();
    next_ = 0;
}

}  // namespace proxstream
