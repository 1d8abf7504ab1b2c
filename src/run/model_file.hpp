/// A learned model as a JSON file: everything needed to predict with it or to continue learning from it.
#pragma once

#include "proxstream/core/types.hpp"

#include "run/label_range.hpp"
#include "run/standardiser.hpp"
#include "run/table_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct RunOutcome;

inline constexpr std::uint64_t kModelVersion = 1;

struct Model {
    std::string loss;         // its textual form
    std::string regulariser;  // likewise
    bool intercept = true;
    std::vector<std::string> features = {};  // names; empty: the format has none
    Index feature_count = 0;
    std::vector<std::string> classes = {};
    std::optional<Standardiser> standardiser = {};
    std::optional<Standardiser> label_scale = {};  // of the label; none: not standardised
    bool normalise = false;                        // rows were scaled to length 1
    bool running = false;                          // statistics counted each row before it was scaled
    bool single = false;                           // features were rounded to single precision
    std::vector<Index> lags = {};
    std::vector<std::string> lag_columns = {};  // empty: the label
    std::vector<std::string> past_only = {};    // columns whose present value is not a feature
    std::vector<Real> past = {};           // values that the lags of the next row refer to; empty: unknown
    std::string label = {};                // its column
    LabelRange labels = {};                // without lags, predictions of numbers are clipped to it
    std::optional<TableState> table = {};  // none: the rows were not those of a table
    Round rounds = 0;                      // rounds learned so far
    std::vector<Real> x = {};              // weights first, intercepts and biases last
};

std::string to_json(const Model& model);
void save_model(const std::string& path, const Model& model);
/// Saves the model at the end of a run. If the file cannot be written, the model goes into the temporary
/// folder, so that the result of the run is not lost.
void save_or_rescue(const std::string& path, const Model& model, RunOutcome& outcome);
/// Saves the model to a new file in the temporary folder, which a problem of the outcome names.
void rescue_model(const Model& model, RunOutcome& outcome);
/// Throws IoError or DataError naming the file, the key and what was expected.
Model load_model(const std::string& path);
Model parse_model(const std::string& text, const std::string& source);

}  // namespace proxstream
