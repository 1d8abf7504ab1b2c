/// What every verb that learns from rows can be told of its data and its model, with the options that name
/// it.
#pragma once

#include "core/option_table.hpp"

#include <array>
#include <string>
#include <vector>

namespace proxstream {

struct RowSettings {
    // data
    std::vector<std::string> data;  // files, "-" for standard input, or builtin:NAME
    std::string format = "auto";
    std::string label;
    std::vector<std::string> features;
    std::vector<std::string> ignore;
    std::vector<std::string> classes;
    std::string delimiter = "auto";
    bool header = true;
    Index dimension = 0;                // LIBSVM features; 0: found by reading the file first
    bool zero_based = false;            // LIBSVM indices count from 0
    Index max_line = Index{64} << 20U;  // bytes
    std::string on_bad_row = "stop";
    bool standardise = false;
    bool standardise_label = false;
    bool normalise = false;                // every row to length 1
    std::vector<std::string> lags;         // rows back, or ranges FIRST..LAST of them
    std::vector<std::string> lag_columns;  // whose past; empty: the label's
    Index ahead = 1;                       // only values at least so many rows old are known
    std::vector<std::string> corrupt;      // share and scale of gross errors put into the labels

    // model
    std::string loss = "squared";
    std::string reg = "zero";
    bool intercept = true;
    std::string start = "zeros";
    Index seed = 1;
};

/// The rows of these, for the table of whatever settings are made of them.
template <class S>
auto row_options() {
    using Row = OptionRow<S>;
    static constexpr Real kLargeCount = 1e9;
    static constexpr std::array<std::string_view, 3> kFormats{"auto", "csv", "libsvm"};
    static constexpr std::array<std::string_view, 2> kBadRow{"stop", "skip"};
    static constexpr std::array<std::string_view, 4> kDelimiters{"auto", ",", ";", "tab"};
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
        Row{"format", "", "Data", "NAME", "csv, libsvm or auto (gzip is recognised by itself)", &S::format, 0,
            0, kFormats},
        Row{"label", "", "Data", "COLUMN", "the column to predict (default: the last one)", &S::label},
        Row{"features", "", "Data", "A,B,..", "columns to learn from (default: all others)", &S::features},
        Row{"ignore", "", "Data", "A,B,..", "columns to leave out", &S::ignore},
        Row{"classes", "", "Data", "NEG,POS", "names of the label's classes, in order", &S::classes},
        Row{"delimiter", "", "Data", "CHAR", "between CSV fields: auto , ; or tab", &S::delimiter, 0, 0,
            kDelimiters},
        Row{"header", "", "Data", "BOOL",
            "the first CSV line names the columns; --no-header names them c1, c2, ...", &S::header},
        Row{"dimension", "", "Data", "N", "features of LIBSVM input; needed when it comes from a pipe",
            &S::dimension, 0, kLargeCount},
        Row{"zero-based", "", "Data", "BOOL", "LIBSVM indices count from 0 instead of 1", &S::zero_based},
        Row{"max-line", "", "Data", "BYTES", "refuse lines longer than this", &S::max_line, 1, 1e12},
        Row{"on-bad-row", "", "Data", "POLICY", "stop at a row that cannot be read, or skip and count it",
            &S::on_bad_row, 0, 0, kBadRow},
        Row{"standardise", "", "Data", "BOOL", "scale features to mean 0 and deviation 1", &S::standardise},
        Row{"standardise-label", "", "Data", "BOOL",
            "scale a numeric label likewise; predictions are mapped back", &S::standardise_label},
        Row{"normalise", "", "Data", "BOOL", "scale every row to length 1 (a row of zeros stays)",
            &S::normalise},
        Row{"lags", "", "Data", "1..8,48,..", "add values of so many rows ago as features, for forecasting",
            &S::lags},
        Row{"lag-columns", "", "Data", "A,B,..", "whose past values --lags adds (default: the label's)",
            &S::lag_columns},
        Row{"ahead", "", "Data", "H", "forecast H rows ahead: refuse lags below H", &S::ahead, 1,
            kLargeCount},
        Row{"corrupt", "", "Data", "SHARE,SCALE",
            "put gross errors into this share of the labels, SCALE deviations large (10), to study "
            "robustness",
            &S::corrupt},

        Row{"loss", "l", "Model", "LOSS",
            "the smooth part f; see 'proxstream list losses'; auto: cauchy on a standardised label",
            &S::loss},
        Row{"reg", "r", "Model", "REG",
            "the convex part g; see 'proxstream list regularisers'; auto: l2sq:0.001 for logistic, else zero",
            &S::reg},
        Row{"intercept", "", "Model", "BOOL", "add an unregularised constant; --no-intercept leaves it out",
            &S::intercept},
        Row{"start", "", "Model", "zeros|FILE",
            "where learning starts: zeros (networks: a seeded draw) or a saved model", &S::start},
        Row{"seed", "", "Model", "N", "of every random draw", &S::seed},
    };
}

}  // namespace proxstream
