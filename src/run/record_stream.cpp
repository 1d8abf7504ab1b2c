#include "proxstream/run/record_stream.hpp"

#include <utility>

namespace proxstream {

RecordStream::RecordStream(std::unique_ptr<RowReader> reader, Options options)
    : reader_(std::move(reader)), options_(std::move(options)), raw_(reader_->sparse()) {}

bool RecordStream::gather(RowBlock& raw) {
    raw.clear();
    if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
    while (raw.rows() < options_.batch) {
        try {
            if (!reader_->read_row(raw)) break;
        } catch (const DamagedFile&) {
            if (raw.rows() == 0) throw;
            pending_ = std::current_exception();
            break;
        } catch (const DataError& error) {
            if (options_.skip_bad_rows) {
                ++bad_rows_;
                last_bad_row_ = error.what();
                continue;
            }
            if (raw.rows() == 0) throw;
            pending_ = std::current_exception();
            break;
        }
    }
    return raw.rows() > 0;
}

void RecordStream::finish_record(RowBlock& raw, RowBlock& record) {
    if (!options_.standardiser) {
        std::swap(raw, record);
        return;
    }
    record.clear();
    if (options_.freeze_standardiser) {
        std::as_const(*options_.standardiser).transform(raw, record, scratch_);
    } else {
        options_.standardiser->apply(raw, record, scratch_);
    }
}

bool RecordStream::next(RowBlock& record) {
    while (true) {
        if (!ahead_.empty()) {
            raw_ = std::move(ahead_.front());
            ahead_.pop_front();
        } else if (!gather(raw_)) {
            return false;
        }
        try {
            finish_record(raw_, record);
            return true;
        } catch (const DataError& error) {
            if (!options_.skip_bad_rows) throw;
            bad_rows_ += raw_.rows();
            last_bad_row_ = error.what();
        }
    }
}

std::vector<RowBlock> RecordStream::peek(Index count) {
    while (ahead_.size() < count) {
        RowBlock raw(reader_->sparse());
        try {
            if (!gather(raw)) break;
        } catch (const DataError&) {
            // Rows that were read well are learned from first; the error comes at its place in the stream.
            pending_ = std::current_exception();
            break;
        }
        ahead_.push_back(std::move(raw));
    }
    if (ahead_.empty() && pending_) std::rethrow_exception(std::exchange(pending_, nullptr));

    std::vector<RowBlock> records;
    std::optional<Standardiser> standardiser = options_.standardiser;
    for (const RowBlock& raw : ahead_) {
        RowBlock record(reader_->sparse());
        if (standardiser) {
            standardiser->apply(raw, record, scratch_);
        } else {
            record = raw;
        }
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace proxstream
