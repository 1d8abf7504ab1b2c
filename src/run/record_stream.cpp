#include "run/record_stream.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

RecordStream::RecordStream(std::unique_ptr<RowReader> reader, Options options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      next_(make_gathered()),
      unlabelled_{make_record()},
      trailing_{make_record()} {}

void RecordStream::KeyedRows::clear() {
    if (rows.rows() == 0 && keys.empty()) return;
    rows.clear();
    keys.clear();
}

void RecordStream::KeyedRows::add(const RowBlock& from, Index row, const std::string& key) {
    rows.add_row(from, row);
    name_last(key);
}

void RecordStream::KeyedRows::name_last(const std::string& key) {
    if (key.empty()) return;
    keys.resize(rows.rows());
    keys.back() = key;
}

bool RecordStream::gather(Gathered& next) {
    RowBlock& raw = next.raw.rows;
    next.raw.clear();
    next.unlabelled.clear();
    if (trailing_.rows.rows() > 0) std::swap(next.unlabelled, trailing_);
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

/// Sets a row without a label aside. A label whose key belongs to a waiting row completes that row.
void RecordStream::settle_label(Gathered& next) {
    RowBlock& raw = next.raw.rows;
    const Index last = raw.rows() - 1;
    const std::string& key = reader_->key();
    if (!std::isnan(raw.target(last))) {
        if (!key.empty()) delayed_.complete(key, raw);
        return next.raw.name_last(key);
    }
    next.unlabelled.add(raw, last, key);
    if (!key.empty()) delayed_.keep(key, raw);
    raw.remove_last();
}

void RecordStream::finish_record(Options& state, RowBlock& raw, RowBlock& record) {
    if (state.scale) state.scale->apply(raw, FeatureScale::Use::count);
    swap(raw, record);
    if (state.label_scale) state.label_scale->apply(record);
    if (state.single) record.round_to_single();
}

void RecordStream::show_unlabelled(KeyedRows& rows) {
    unlabelled_.clear();
    if (rows.rows.rows() == 0) return;
    if (options_.scale) options_.scale->apply(rows.rows, FeatureScale::Use::as_next);
    std::swap(unlabelled_, rows);
    if (options_.single) unlabelled_.rows.round_to_single();
}

/// No record follows the rows without a label.
void RecordStream::end_at_unlabelled() {
    show_unlabelled(next_.unlabelled);
    if (options_.label_scale) options_.label_scale->settle();
}

bool RecordStream::next(RowBlock& record) {
    bool more = true;
    if (ahead_.empty()) {
        try {
            more = gather(next_);
        } catch (const DataError&) {
            end_at_unlabelled();
            throw;
        }
    } else {
        next_ = std::move(ahead_.front());
        ahead_.pop_front();
    }
    if (!more) {
        end_at_unlabelled();
        return false;
    }
    show_unlabelled(next_.unlabelled);
    line_ = next_.line;
    finish_record(options_, next_.raw.rows, record);
    return true;
}

std::vector<RowBlock> RecordStream::peek(Index count) {
    while (ahead_.size() < count) {
        Gathered next = make_gathered();
        bool more = false;
        try {
            more = gather(next);
        } catch (const DataError&) {
            // The rows before the error are learned from first, and the error is thrown at its place in the
            // stream.
            pending_ = std::current_exception();
        }
        if (!more) {
            trailing_ = std::move(next.unlabelled);
            break;
        }
        ahead_.push_back(std::move(next));
    }
    if (ahead_.empty() && pending_) std::rethrow_exception(std::exchange(pending_, nullptr));

    std::vector<RowBlock> records;
    Options state = options_;
    for (const Gathered& gathered : ahead_) {
        RowBlock raw = gathered.raw.rows;
        RowBlock record = make_record();
        finish_record(state, raw, record);
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<Real> RecordStream::labels_ahead() const {
    std::vector<Real> labels;
    for (const Gathered& gathered : ahead_)
        labels.insert(labels.end(), gathered.raw.rows.targets().begin(), gathered.raw.rows.targets().end());
    return labels;
}

void RecordStream::serialise(StateArchive& archive) {
    archive.agree("records read ahead", ahead_.size());
    reader_->serialise(archive);
    archive.agree("scaled", options_.scale ? 1 : 0);
    if (options_.scale) archive.section("scale", *options_.scale);
    archive.agree("labels scaled", options_.label_scale ? 1 : 0);
    if (options_.label_scale) archive.section("label scale", *options_.label_scale);
    archive.fields(Field{"bad rows", bad_rows_}, Field{"last bad row", last_bad_row_});
}

}  // namespace proxstream
