/// A stream of data rows as the learner loop sees it, whatever the format.
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

    /// Appends one row to a block whose sparse() equals ours; false at the end. A row that cannot be used
    /// throws DataError and leaves the block as it was; the next call reads the row after it. DamagedFile, a
    /// DataError, says that more than a row is lost (the next call goes on with the next file, if any).
    virtual bool read_row(RowBlock& block) = 0;

    virtual Index features() const = 0;
    virtual bool sparse() const = 0;
    /// In the order of the features; empty when the format has no names.
    virtual const std::vector<std::string>& feature_names() const = 0;
    virtual std::string label_name() const { return "label"; }
    /// How the columns of a table became features; none: the rows are not those of a table.
    virtual std::optional<TableState> table() const { return std::nullopt; }
    /// Whether a feature is a quantity with a scale, as opposed to the mark of a category.
    virtual bool is_quantity(Index feature) const {
        static_cast<void>(feature);
        return true;
    }
    /// The values that rows to come look back at, oldest first.
    virtual std::vector<Real> past() const { return {}; }
    /// Says what the label of the last row was taken for, if it has none: rows to come look back at it.
    virtual void assume_label(Real label) { static_cast<void>(label); }
    /// The key of the last row; empty without a column of keys.
    virtual const std::string& key() const {
        static const std::string none;
        return none;
    }
    /// How the rows so far write the negative one of two classes without names: -1 or 0.
    virtual Real negative_label() const { return -1; }
    /// The feature that holds the label of the row before; none: no feature does.
    virtual std::optional<Index> last_label() const { return std::nullopt; }
    /// Where the last row began: its file and its line there, from 1.
    virtual const std::string& source() const = 0;
    virtual std::uint64_t line() const = 0;
    /// May rows come after read_row() said there is none?
    virtual bool live() const { return false; }
    /// What rows to come depend on. Readers of files have none: they are read again from their beginning.
    virtual void serialise(StateArchive& archive) { static_cast<void>(archive); }
    /// What a user has to know of how these rows were made from the data, a sentence each.
    virtual std::vector<std::string> notes() const { return {}; }
    /// What was done to values of the rows so far, a sentence each.
    virtual std::vector<std::string> remarks() const { return {}; }
};

enum class RowFormat : std::uint8_t { detect, csv, json, libsvm };

/// Of rows with named columns: CSV and JSON lines.
struct TableOptions {
    std::string label;                  // empty: the last column that is neither a feature nor ignored
    std::vector<std::string> features;  // in this order; empty: every column but the label and the ignored
    std::vector<std::string> ignore;
    // Columns read for their past (run/lagged_reader.hpp), the label may be one of them. Those that are not
    // named as features come behind the features.
    std::vector<std::string> lagged;
    std::vector<std::string> text;  // columns whose values are names, also if they look like numbers
    std::vector<std::string> time;  // columns of times that become features
    std::string weight;             // column of the rows' weights; empty: all weigh 1
    std::string key;                // column of keys; empty: rows have none
    std::vector<Real> class_weights = {};
    bool needs_features = true;  // false: a label alone will do
    bool unlabelled = false;     // a row without a label has the target NaN; false: it is refused
    bool missing = false;        // a missing number is replaced by the column's mean; false: it is refused
    Index categories = 0;        // features of a column of text; 0: twice as many as the first rows need
    Index hash_bits = 0;         // text becomes one of 2^hash_bits features; 0: one of its column's
    Index look_ahead = 0;        // rows that decide what a column holds; 0: numbers
    char delimiter = 0;          // of CSV: one of , ; | tab; 0: found in the first line
    bool header = true;          // of CSV; false: the columns are called c1, c2, ...
    std::optional<TableState> model = {};  // columns of a model, which are read by their names
    bool predicts = false;                 // the rows are for a model: nothing is learned of its columns
};

struct LibsvmOptions {
    Index dimension = 0;      // 0: found by reading the files once before
    bool zero_based = false;  // the first feature is 0 instead of 1
};

struct ReaderOptions {
    RowFormat format = RowFormat::detect;
    TableOptions table;
    LibsvmOptions libsvm;
    TargetRule target;
    std::size_t max_line = kDefaultMaxLine;
    StopFlag stop = nullptr;  // ends a wait for more lines, as if the stream had ended
};

/// Opens files in their order, "-" for standard input (at most once; no path at all means it too), or one
/// built-in stream `builtin:drift,rows=5000` (run/synthetic.hpp). Throws IoError, ConfigError with every
/// violation found, or DataError when the beginning cannot be understood.
std::unique_ptr<RowReader> open_rows(const std::vector<std::string>& paths, const ReaderOptions& options);
std::unique_ptr<RowReader> open_inputs(std::vector<Input> inputs, const ReaderOptions& options);

}  // namespace proxstream
