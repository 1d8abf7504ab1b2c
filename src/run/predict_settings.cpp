#include "run/predict_settings.hpp"

#include "run/setting_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace proxstream {
namespace {

using Row = OptionRow<PredictSettings>;
using S = PredictSettings;

/// Options of the files. The model holds the other options of rows.
constexpr std::array<std::string_view, 7> kOfFiles{"format",     "label",    "delimiter", "header",
                                                   "zero-based", "max-line", "on-bad-row"};

const std::array kOwnRows{
    Row{"data",
        "d",
        "Data",
        "FILE",
        "the model, then files of rows in order; '-' for standard input",
        &S::data,
        -kInfinity,
        kInfinity,
        {},
        false,
        "MODEL_AND_ROWS"},
    Row{"key", "", "Data", "COLUMN", "name predictions by this column instead of the number of the row",
        &S::key},
    Row{"horizon", "", "Data", "H", "forecast H rows after the last one", &S::horizon, 0, 1e9},
    Row{"refill", "", "Data", "BOOL",
        "take past values from the rows themselves; by default they continue the model's own rows",
        &S::refill},
    Row{"predictions", "p", "Output", "FILE", "write the predictions to a file instead of standard output",
        &S::predictions},
    Row{"quiet", "q", "Output", "BOOL", "print errors only", &S::quiet},
};

}  // namespace

std::span<const Row> PredictSettings::options() {
    static const std::vector<Row> rows = [] {
        std::vector<Row> kept{kOwnRows.front()};
        for (const Row& row : row_options<S>()) {
            if (std::find(kOfFiles.begin(), kOfFiles.end(), row.name) != kOfFiles.end()) kept.push_back(row);
        }
        kept.insert(kept.end(), kOwnRows.begin() + 1, kOwnRows.end());
        return kept;
    }();
    return rows;
}

void validate(const PredictSettings& settings) {
    Violations violations;
    check_rows(PredictSettings::options(), settings, violations);
    violations.refuse(settings.data.empty(),
                      "predict: name the model first, as in 'proxstream predict model.json rows.csv'");
    violations.refuse(settings.refill && settings.horizon > 0 && settings.data.size() == 1,
                      "refill: needs rows to fill the lags from");
    violations.conclude();
}

}  // namespace proxstream
