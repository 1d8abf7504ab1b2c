/// The data and model settings of every verb that learns from rows, with their options.
#pragma once

#include "proxstream/prox/regulariser_table.hpp"

#include "front/learner_settings.hpp"
#include "run/table_state.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class RowReader;
using WrapRows = std::function<std::unique_ptr<RowReader>(std::unique_ptr<RowReader>)>;

struct RowSettings : SeedSettings {
    // data
    std::vector<std::string> data;  // files, "-" for standard input, or builtin:NAME
    std::string format = "auto";
    std::string label;
    std::vector<std::string> features;
    std::vector<std::string> ignore;
    std::vector<std::string> classes;
    std::string delimiter = "auto";
    bool header = true;
    Index dimension = 0;                // of LIBSVM rows; 0: found by a first pass over the file
    bool zero_based = false;            // LIBSVM indices count from 0
    Index max_line = Index{64} << 20U;  // bytes
    std::string on_bad_row = "stop";
    std::vector<std::string> text;  // columns of names
    std::vector<std::string> time;  // columns of times that become features
    std::string weight;             // column of the rows' weights
    std::vector<std::string> class_weights;
    Index hash = 0;        // bits
    Index categories = 0;  // features of a column of text; 0: twice as many as the first rows need
    std::string missing = "mean";
    bool standardise = false;
    bool raw = false;  // scale nothing unless `standardise` is given
    bool standardise_label = false;
    bool normalise = false;                // every row to length 1
    std::vector<std::string> lags;         // rows back, or ranges FIRST..LAST
    std::vector<std::string> lag_columns;  // empty: the label
    std::string key;                       // column of keys, for labels that come later
    Index ahead = 1;                       // only values at least this many rows old are known
    // Not options:
    Index look_ahead = 64;                 // rows that decide what the columns of a table hold
    bool scales_tables = false;            // tables are standardised unless raw
    bool predicts_unlabelled = false;      // predict rows without a label instead of learning from them
    std::optional<TableState> table = {};  // the columns of a model, if rows are read for one
    bool predicts = false;                 // rows are for a model: nothing is learned from them
    std::vector<Real> past = {};           // values that the lags of the first row refer to; empty: unknown
    WrapRows wrap_rows;                    // wraps the reader before lags are added

    // model
    std::string loss = "squared";
    std::string reg = "zero";
    bool intercept = true;
    std::string start = "zeros";
};

inline void check_regulariser(const std::string& text) {
    if (text != "auto") parse_regulariser(text);
}

/// Options: the source of rows.
template <class S>
auto source_options() {
    using Row = OptionRow<S>;
    static constexpr std::array<std::string_view, 4> kFormats{"auto", "csv", "json", "libsvm"};
    static constexpr std::array<std::string_view, 2> kBadRow{"stop", "skip"};
    static constexpr std::array<std::string_view, 7> kDelimiters{"auto", ",", ";", "|", "tab", "space", " "};
    return std::array{
        Row{"data",
            "d",
            "Data",
            "FILE",
            "files in order, '-' for standard input, or builtin:drift|switch|season|iid|sparse (fit: "
            "sampler:NAME too)",
            &S::data,
            -kInfinity,
            kInfinity,
            {},
            false,
            "FILES"},
        Row{"format", "", "Data", "NAME",
            "csv, json (one object a line), libsvm or auto (gzip is recognised by itself)", &S::format, 0, 0,
            kFormats},
        Row{"label", "", "Data", "COLUMN", "column to predict (default: the last one)", &S::label},
        Row{"features", "", "Data", "A,B,..", "columns to learn from (default: all others)", &S::features},
        Row{"ignore", "", "Data", "A,B,..", "columns to leave out", &S::ignore},
        Row{"classes", "", "Data", "NEG,POS", "names of the label's classes, in order", &S::classes},
        Row{"delimiter", "", "Data", "CHAR", "delimiter of CSV fields: auto , ; | tab or space",
            &S::delimiter, 0, 0, kDelimiters},
        Row{"header", "", "Data", "BOOL", "read CSV without a header line; columns are c1, c2, ...",
            &S::header},
        Row{"dimension", "", "Data", "N", "number of LIBSVM features; needed for input from a pipe",
            &S::dimension, 0, 1e9},
        Row{"zero-based", "", "Data", "BOOL", "count LIBSVM indices from 0 instead of 1", &S::zero_based},
        Row{"max-line", "", "Data", "BYTES", "refuse longer lines", &S::max_line, 1, 1e12},
        Row{"on-bad-row", "", "Data", "POLICY", "stop at a row that cannot be read, or skip and count it",
            &S::on_bad_row, 0, 0, kBadRow},
    };
}

/// Options: how columns become features, labels and weights.
template <class S>
auto feature_options() {
    using Row = OptionRow<S>;
    static constexpr std::array<std::string_view, 2> kMissing{"mean", "stop"};
    return std::array{
        Row{"text", "", "Data", "A,B,..", "columns whose values are names, even if they look like numbers",
            &S::text},
        Row{"time", "", "Data", "A,B,..",
            "make features of hour, weekday and trend from these columns of times", &S::time},
        Row{"categories", "", "Data", "N",
            "features of a column of text (0: twice as many as the first rows need)", &S::categories, 0, 1e6},
        Row{"hash", "", "Data", "BITS",
            "map the values of text columns to 2^BITS features (0: each value has its own)", &S::hash, 0, 24},
        Row{"missing", "", "Data", "POLICY",
            "replace a missing number by the mean of its column, or stop there as at a bad row", &S::missing,
            0, 0, kMissing},
        Row{"weight", "", "Data", "COLUMN", "weight of each row's loss (default: 1)", &S::weight},
        Row{"class-weights", "", "Data", "A,B,..",
            "weights of the classes, in the order of --classes (or of -1 and 1)", &S::class_weights},
        Row{"standardise", "", "Data", "BOOL",
            "scale features to mean 0 and deviation 1; learn and compare do so with CSV and JSON",
            &S::standardise},
        Row{"standardise-label", "", "Data", "BOOL",
            "scale a numeric label likewise; predictions are mapped back", &S::standardise_label},
        Row{"normalise", "", "Data", "BOOL", "scale every row to length 1 (a row of zeros stays)",
            &S::normalise},
        Row{"lags", "", "Data", "1..8,48,..", "add values of earlier rows as features, this many rows back",
            &S::lags},
        Row{"lag-columns", "", "Data", "A,B,..", "columns whose past --lags adds (default: the label)",
            &S::lag_columns},
        Row{"ahead", "", "Data", "H", "forecast H rows ahead: refuse lags below H", &S::ahead, 1, 1e9},
    };
}

template <class S>
auto model_options() {
    using Row = OptionRow<S>;
    return std::array{
        Row{"loss", "l", "Model", "LOSS",
            "loss: the smooth part f, see 'proxstream list losses'; auto: cauchy on a standardised label",
            &S::loss},
        checked(Row{"reg", "r", "Model", "REG",
                    "convex part g; see 'proxstream list regularisers'; auto: l2sq:0.001 for logistic and "
                    "softmax, else zero",
                    &S::reg},
                check_regulariser),
        Row{"intercept", "", "Model", "BOOL", "fit without an intercept", &S::intercept},
        Row{"start", "", "Model", "zeros|FILE",
            "start at zeros (networks: at a seeded draw) or at a saved model", &S::start},
        seed_option<S>("Model"),
    };
}

template <class S>
std::vector<OptionRow<S>> row_options() {
    return join_rows<S>(source_options<S>(), feature_options<S>(), model_options<S>());
}

}  // namespace proxstream
