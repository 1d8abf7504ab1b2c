/// The settings of every verb that learns from rows: its data and its model, with their options.
#pragma once

#include "proxstream/prox/regulariser_table.hpp"

#include "front/learner_settings.hpp"

#include <array>
#include <functional>
#include <memory>
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
    Index dimension = 0;                // of LIBSVM rows; 0: found by reading the file first
    bool zero_based = false;            // LIBSVM indices count from 0
    Index max_line = Index{64} << 20U;  // bytes
    std::string on_bad_row = "stop";
    bool standardise = false;
    bool standardise_label = false;
    bool normalise = false;                // every row to length 1
    std::vector<std::string> lags;         // rows back, or ranges FIRST..LAST
    std::vector<std::string> lag_columns;  // empty: the label
    Index ahead = 1;                       // only values at least so many rows old are known
    WrapRows wrap_rows;                    // around the rows that are read, before lags; not an option

    // model
    std::string loss = "squared";
    std::string reg = "zero";
    bool intercept = true;
    std::string start = "zeros";
};

inline void check_regulariser(const std::string& text) {
    if (text != "auto") parse_regulariser(text);
}

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
        Row{"label", "", "Data", "COLUMN", "column to predict (default: the last one)", &S::label},
        Row{"features", "", "Data", "A,B,..", "columns to learn from (default: all others)", &S::features},
        Row{"ignore", "", "Data", "A,B,..", "columns to leave out", &S::ignore},
        Row{"classes", "", "Data", "NEG,POS", "names of the label's classes, in order", &S::classes},
        Row{"delimiter", "", "Data", "CHAR", "delimiter of CSV fields: auto , ; or tab", &S::delimiter, 0, 0,
            kDelimiters},
        Row{"header", "", "Data", "BOOL", "read CSV without a header line; columns are c1, c2, ...",
            &S::header},
        Row{"dimension", "", "Data", "N", "number of LIBSVM features; needed for input from a pipe",
            &S::dimension, 0, kLargeCount},
        Row{"zero-based", "", "Data", "BOOL", "count LIBSVM indices from 0 instead of 1", &S::zero_based},
        Row{"max-line", "", "Data", "BYTES", "refuse longer lines", &S::max_line, 1, 1e12},
        Row{"on-bad-row", "", "Data", "POLICY", "stop at a row that cannot be read, or skip and count it",
            &S::on_bad_row, 0, 0, kBadRow},
        Row{"standardise", "", "Data", "BOOL", "scale features to mean 0 and deviation 1", &S::standardise},
        Row{"standardise-label", "", "Data", "BOOL",
            "scale a numeric label likewise; predictions are mapped back", &S::standardise_label},
        Row{"normalise", "", "Data", "BOOL", "scale every row to length 1 (a row of zeros stays)",
            &S::normalise},
        Row{"lags", "", "Data", "1..8,48,..", "add the values of so many rows ago as features, for forecasts",
            &S::lags},
        Row{"lag-columns", "", "Data", "A,B,..", "columns whose past --lags adds (default: the label)",
            &S::lag_columns},
        Row{"ahead", "", "Data", "H", "forecast H rows ahead: refuse lags below H", &S::ahead, 1,
            kLargeCount},

        Row{"loss", "l", "Model", "LOSS",
            "smooth part f; see 'proxstream list losses'; auto: cauchy on a standardised label", &S::loss},
        checked(Row{"reg", "r", "Model", "REG",
                    "convex part g; see 'proxstream list regularisers'; auto: l2sq:0.001 for logistic, else "
                    "zero",
                    &S::reg},
                check_regulariser),
        Row{"intercept", "", "Model", "BOOL", "fit without an intercept", &S::intercept},
        Row{"start", "", "Model", "zeros|FILE",
            "start at zeros (networks: at a seeded draw) or at a saved model", &S::start},
        seed_option<S>("Model"),
    };
}

}  // namespace proxstream
