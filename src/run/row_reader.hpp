/// A stream of data rows, independent of their format.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/row_block.hpp"

#include "io/line_reader.hpp"
#include "run/table_state.hpp"
#include "run/target_rule.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class RowReader {
  public:
    RowReader() = default;
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;
    virtual ~RowReader() = default;

    /// Appends one row to a block of the same sparse(); returns false at the end. For a row that cannot be
    /// used, throws DataError and leaves the block unchanged; the next call reads the row after it. Throws
    /// DamagedFile, a DataError, if more than a row is lost; the next call continues with the next file, if
    /// any.
    virtual bool read_row(RowBlock& block) = 0;

    virtual Index features() const = 0;
    virtual bool sparse() const = 0;
    /// In the order of the features; empty when the format has no names.
    virtual const std::vector<std::string>& feature_names() const = 0;
    virtual std::string label_name() const { return "label"; }
    /// How the columns of a table became features; none: the rows are not from a table.
    virtual std::optional<TableState> table() const { return std::nullopt; }
    /// Whether a feature is a quantity with a scale, as opposed to the mark of a category.
    virtual bool is_quantity(Index feature) const {
        static_cast<void>(feature);
        return true;
    }
    /// The values that the lags of later rows refer to, oldest first.
    virtual std::vector<Real> past() const { return {}; }
    /// Gives the last row a label for the lags of later rows, if it has none.
    virtual void assume_label(Real label) { static_cast<void>(label); }
    /// The key of the last row; empty without a column of keys.
    virtual const std::string& key() const {
        static const std::string none;
        return none;
    }
    /// The number for the negative class in the rows so far, if classes have no names: -1 or 0.
    virtual Real negative_label() const { return -1; }
    /// The feature that equals the label of the row before; none: there is no such feature.
    virtual std::optional<Index> last_label() const { return std::nullopt; }
    /// File and line of the last row, from 1.
    virtual const std::string& source() const = 0;
    virtual std::uint64_t line() const = 0;
    /// Whether rows may come after read_row() has returned false.
    virtual bool live() const { return false; }
    /// The state that later rows depend on. File readers have none: a resumed run reads their rows again.
    virtual void serialise(StateArchive& archive) { static_cast<void>(archive); }
    /// What a user should know about how features were made from the data, a sentence each.
    virtual std::vector<std::string> notes() const { return {}; }
    /// What was done to values of the rows so far, a sentence each.
    virtual std::vector<std::string> remarks() const { return {}; }
};

enum class RowFormat : std::uint8_t { detect, csv, json, libsvm };

/// Of rows with named columns: CSV and JSON lines.
struct TableOptions {
    std::string label;                  // empty: the last column that has no other role
    std::vector<std::string> features;  // in this order; empty: every column without another role
    std::vector<std::string> ignore;
    // Columns whose past becomes features (run/lagged_reader.hpp); the label may be one of them. Columns that
    // `features` does not name come after the features.
    std::vector<std::string> lagged;
    std::vector<std::string> text;  // columns whose values are names, even if they look like numbers
    std::vector<std::string> time;  // columns of times that become features
    std::string weight;             // column of the rows' weights; empty: all weigh 1
    std::string key;                // column of keys; empty: rows have none
    std::vector<Real> class_weights = {};
    bool needs_features = true;  // false: rows may have only a label
    bool unlabelled = false;     // a row without a label has the target NaN; false: it is refused
    bool missing = false;        // a missing number is replaced by the column's mean; false: it is refused
    Index categories = 0;        // features of a column of text; 0: twice as many as the first rows need
    Index hash_bits = 0;         // text becomes one of 2^hash_bits features; 0: one of its column's
    Index look_ahead = 0;        // rows that decide what a column holds; 0: every column holds numbers
    char delimiter = 0;          // of CSV: one of , ; | tab blank; 0: found in the first line
    bool header = true;          // of CSV; false: the columns are called c1, c2, ...
    std::optional<TableState> model = {};  // columns of a model, which are read by their names
    bool predicts = false;                 // the rows are for a model: nothing is learned from them
};

struct LibsvmOptions {
    Index dimension = 0;      // 0: found by a first pass over the files
    bool zero_based = false;  // the first feature is 0 instead of 1
};

struct ReaderOptions {
    RowFormat format = RowFormat::detect;
    TableOptions table;
    LibsvmOptions libsvm;
    TargetRule target;
    std::size_t max_line = kDefaultMaxLine;
    StopFlag stop = nullptr;  // ends a wait for more lines like the end of the stream
};

/// Opens files in order, "-" for standard input (at most once; also the default), or one built-in stream such
/// as `builtin:drift,rows=5000` (run/synthetic.hpp). Throws IoError, ConfigError with every violation, or
/// DataError if the beginning cannot be read.
std::unique_ptr<RowReader> open_rows(const std::vector<std::string>& paths, const ReaderOptions& options);
std::unique_ptr<RowReader> open_inputs(std::vector<Input> inputs, const ReaderOptions& options);

}  // namespace proxstream
