#include "run/record_stream.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

RecordStream::RecordStream(std::unique_ptr<RowReader> reader, Options options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      next_{.raw = make_record(), .unlabelled = make_record()},
      unlabelled_(make_record()),
      trailing_(make_record()) {}

bool RecordStream::gather(Gathered& next) {
    RowBlock& raw = next.raw;
    raw.clear();
    next.unlabelled.clear();
    if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
    while (raw.rows() < options_.batch) {
        try {
            if (!reader_->read_row(raw)) break;
            settle_label(next);
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
    next.line = reader_->line();
    return raw.rows() > 0;
}

/// A row without a label is set aside; one with the label of a row that waits becomes that row.
void RecordStream::settle_label(Gathered& next) {
    const Index last = next.raw.rows() - 1;
    const std::string& key = reader_->key();
    if (!std::isnan(next.raw.target(last))) {
        if (!key.empty()) delayed_.complete(key, next.raw);
        return;
    }
    next.unlabelled.add_row(next.raw, last);
    if (!key.empty()) delayed_.keep(key, next.raw);
    next.raw.remove_last();
}

void RecordStream::finish_record(Options& state, RowBlock& raw, RowBlock& record) {
    if (state.scale) state.scale->apply(raw, FeatureScale::Use::count);
    std::swap(raw, record);
    if (state.label_scale) state.label_scale->apply(record);
    if (state.single) record.round_to_single();
}

void RecordStream::show_unlabelled(RowBlock& rows) {
    unlabelled_.clear();
    if (rows.rows() == 0) return;
    if (options_.scale) options_.scale->apply(rows, FeatureScale::Use::as_next);
    std::swap(unlabelled_, rows);
    if (options_.single) unlabelled_.round_to_single();
}

bool RecordStream::next(RowBlock& record) {
    bool more = true;
    if (!ahead_.empty()) {
        next_ = std::move(ahead_.front());
        ahead_.pop_front();
    } else {
        more = gather(next_);
        if (!more && trailing_.rows() > 0) std::swap(next_.unlabelled, trailing_);
    }
    show_unlabelled(next_.unlabelled);
    if (!more) {
        if (options_.label_scale) options_.label_scale->settle();
        return false;
    }
    line_ = next_.line;
    finish_record(options_, next_.raw, record);
    return true;
}

std::vector<RowBlock> RecordStream::peek(Index count) {
    while (ahead_.size() < count) {
        Gathered next{.raw = make_record(), .unlabelled = make_record()};
        try {
            if (!gather(next)) {
                // Rows without a label at the very end are shown there.
                for (Index row = 0; row < next.unlabelled.rows(); ++row)
                    trailing_.add_row(next.unlabelled, row);
                break;
            }
        } catch (const DataError&) {
            // Rows that were read well are learned from first; the error comes at its place in the stream.
            pending_ = std::current_exception();
            break;
        }
        ahead_.push_back(std::move(next));
    }
    if (ahead_.empty() && pending_) std::rethrow_exception(std::exchange(pending_, nullptr));

    std::vector<RowBlock> records;
    Options state = options_;
    for (const Gathered& gathered : ahead_) {
        RowBlock raw = gathered.raw;
        RowBlock record = make_record();
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
    archive.agree("scaled", options_.scale ? 1 : 0);
    if (options_.scale) archive.section("scale", *options_.scale);
    archive.agree("labels scaled", options_.label_scale ? 1 : 0);
    if (options_.label_scale) archive.section("label scale", *options_.label_scale);
    archive.field("bad rows", bad_rows_);
    archive.field("last bad row", last_bad_row_);
}

}  // namespace proxstream
