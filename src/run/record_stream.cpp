#include "run/record_stream.hpp"

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

void RecordStream::finish_record(Options& state, RowBlock& raw, RowBlock& record) {
    if (state.label_scale) state.label_scale->check(raw);  // before anything counts the record
    if (!state.standardiser) {
        std::swap(raw, record);
    } else {
        record.clear();
        if (state.freeze_statistics) {
            std::as_const(*state.standardiser).transform(raw, record, scratch_);
        } else {
            state.standardiser->apply(raw, record, scratch_);
        }
    }
    if (state.label_scale) state.label_scale->apply(record, !state.freeze_statistics);
    if (state.single) record.round_to_single();
}

bool RecordStream::next(RowBlock& record) {
    while (true) {
        if (!ahead_.empty()) {
            raw_ = std::move(ahead_.front().raw);
            line_ = ahead_.front().line;
            ahead_.pop_front();
        } else if (gather(raw_)) {
            line_ = reader_->line();
        } else {
            return false;
        }
        try {
            finish_record(options_, raw_, record);
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
        ahead_.push_back({std::move(raw), reader_->line()});
    }
    if (ahead_.empty() && pending_) std::rethrow_exception(std::exchange(pending_, nullptr));

    std::vector<RowBlock> records;
    Options state = options_;
    for (const Gathered& gathered : ahead_) {
        RowBlock raw = gathered.raw;
        RowBlock record(reader_->sparse());
        finish_record(state, raw, record);
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<Real> RecordStream::labels_ahead() const {
    std::vector<Real> labels;
    for (const Gathered& gathered : ahead_)
        labels.insert(labels.end(), gathered.raw.targets().begin(), gathered.raw.targets().end());
    return labels;
}

void RecordStream::serialise(StateArchive& archive) {
    archive.agree("records read ahead", ahead_.size());
    reader_->serialise(archive);
    archive.agree("standardised", options_.standardiser ? 1 : 0);
    if (options_.standardiser) archive.section("standardiser", *options_.standardiser);
    archive.agree("labels scaled", options_.label_scale ? 1 : 0);
    if (options_.label_scale) archive.section("label scale", *options_.label_scale);
    archive.field("bad rows", bad_rows_);
    archive.field("last bad row", last_bad_row_);
}

}  // namespace proxstream
