#include "run/fed_reader.hpp"

namespace proxstream {
namespace {

void add_row(const RowBlock& from, Index row, RowBlock& to) {
    if (from.sparse()) {
        to.add_sparse(from.indices(row), from.values(row), from.target(row));
    } else {
        to.add_dense(from.values(row), from.target(row));
    }
}

}  // namespace

void FedReader::feed(const RowBlock& rows) {
    if (next_ == waiting_.rows()) {
        waiting_.clear();
        next_ = 0;
    }
    for (Index row = 0; row < rows.rows(); ++row) add_row(rows, row, waiting_);
}

bool FedReader::read_row(RowBlock& block) {
    if (next_ == waiting_.rows()) return false;
    add_row(waiting_, next_++, block);
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
