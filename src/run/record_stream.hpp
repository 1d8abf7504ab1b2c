/// Rows become records: read, scaled if asked, gathered `batch` at a time; rows that cannot be read
/// stop the stream or are counted, as the user chose.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include "run/delayed_rows.hpp"
#include "run/feature_scale.hpp"
#include "run/label_scale.hpp"
#include "run/row_reader.hpp"

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class RecordStream {
  public:
    struct Options {
        Index batch = 1;  // rows a record
        bool skip_bad_rows = false;
        // None: features, labels are taken as they are. The rows of a CheckedReader can be scaled.
        std::optional<FeatureScale> scale = {};
        std::optional<LabelScale> label_scale = {};
        bool single = false;  // features in single precision, at the very end
    };

    RecordStream(std::unique_ptr<RowReader> reader, Options options);

    /// The next record; false at the end. Throws DataError at a bad row unless those are skipped; rows
    /// gathered before it come first, so nothing that was read well is lost.
    bool next(RowBlock& record);
    /// The first `count` records to come, as next() will give them. Reads ahead, changes nothing else.
    std::vector<RowBlock> peek(Index count);

    /// The labels of the records that peek() has read ahead, in the units of the data.
    std::vector<Real> labels_ahead() const;
    /// The labels of the record from next(), in the units of the data.
    ConstView labels(const RowBlock& record) const {
        return options_.label_scale ? options_.label_scale->labels() : record.targets();
    }

    /// The rows without a label that came before the record from next(), or before the end: as they are to be
    /// predicted. They stay until the next call. Those before a bad row are there when next() has thrown.
    const RowBlock& unlabelled() const noexcept { return unlabelled_.rows; }
    /// The keys of these rows, and of the record's; rows behind the last one have none.
    const std::vector<std::string>& unlabelled_keys() const noexcept { return unlabelled_.keys; }
    const std::vector<std::string>& keys() const noexcept { return next_.raw.keys; }
    /// Rows whose label may still come, by their keys.
    const DelayedRows& delayed() const noexcept { return delayed_; }

    /// Drops what peek() has read ahead.
    void forget_ahead() { ahead_.clear(); }
    /// What records to come depend on; nothing may be read ahead.
    void serialise(StateArchive& archive);

    /// The line that the last row of the record from next() ended on, whatever was read ahead since.
    std::uint64_t line() const noexcept { return line_; }
    RowBlock make_record() const { return RowBlock(reader_->sparse()); }
    const RowReader& reader() const noexcept { return *reader_; }
    const std::optional<FeatureScale>& scale() const noexcept { return options_.scale; }
    const std::optional<LabelScale>& label_scale() const noexcept { return options_.label_scale; }
    std::uint64_t bad_rows() const noexcept { return bad_rows_; }
    const std::string& last_bad_row() const noexcept { return last_bad_row_; }  // its error message

  private:
    struct KeyedRows {
        RowBlock rows;
        std::vector<std::string> keys = {};  // of the first rows; those behind them have none

        void clear();
        void add(const RowBlock& from, Index row, const std::string& key);
        void name_last(const std::string& key);
    };
    struct Gathered {
        KeyedRows raw;         // not yet scaled
        KeyedRows unlabelled;  // rows before it, likewise
        std::uint64_t line = 0;
    };
    Gathered make_gathered() const { return {.raw = {make_record()}, .unlabelled = {make_record()}}; }
    bool gather(Gathered& next);
    void settle_label(Gathered& next);
    void show_unlabelled(KeyedRows& rows);
    void end_at_unlabelled();
    static void finish_record(Options& state, RowBlock& raw, RowBlock& record);

    std::unique_ptr<RowReader> reader_;
    Options options_;
    std::deque<Gathered> ahead_;
    Gathered next_;
    KeyedRows unlabelled_;
    KeyedRows trailing_;  // rows without a label that peek() met before an end or a bad row
    DelayedRows delayed_;
    std::uint64_t line_ = 0;
    std::exception_ptr pending_;  // a bad row met while rows before it were still to be handed out
    std::uint64_t bad_rows_ = 0;
    std::string last_bad_row_;
};

}  // namespace proxstream
