/// Turns rows into records: reads them, scales them if asked, and gathers `batch` rows. A row that cannot be
/// read stops the stream or is counted, as the settings say.
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
        // None: rows are not scaled. Otherwise they must come from a CheckedReader.
        std::optional<FeatureScale> scale = {};
        std::optional<LabelScale> label_scale = {};
        bool single = false;  // round features to single precision, after scaling
    };

    RecordStream(std::unique_ptr<RowReader> reader, Options options);

    /// The next record; false at the end. Throws DataError at a bad row, unless bad rows are skipped. Rows
    /// gathered before it are returned first.
    bool next(RowBlock& record);
    /// The first `count` records that next() will return. Reads ahead without any other change.
    std::vector<RowBlock> peek(Index count);

    /// The labels of the records read ahead by peek(), in the units of the data.
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

    /// Drops the records read ahead by peek().
    void forget_ahead() { ahead_.clear(); }
    /// The state that later records depend on; no record may be read ahead.
    void serialise(StateArchive& archive);

    /// The line of the last row of the record from next(), even if more lines were read ahead.
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
    std::exception_ptr pending_;  // a bad row, thrown after the rows before it were returned
    std::uint64_t bad_rows_ = 0;
    std::string last_bad_row_;
};

}  // namespace proxstream
