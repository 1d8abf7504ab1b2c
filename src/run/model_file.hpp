/// A learned model as a JSON file: everything needed to predict with it or to go on learning from it.
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
    std::vector<std::string> features = {};  // names, empty when the format has none
    Index feature_count = 0;
    std::vector<std::string> classes = {};
    std::optional<Standardiser> standardiser = {};
    std::optional<Standardiser> label_scale = {};  // of one column, the label
    bool normalise = false;                        // rows were scaled to length 1
    bool running = false;                          // statistics count each row before it is scaled
    std::vector<Index> lags = {};
    std::vector<std::string> lag_columns = {};  // empty: the label
    std::vector<std::string> past_only = {};    // those of them whose present value is not a feature
    std::vector<Real> past = {};                // what the next row looks back at; empty: not known
    std::string label = {};                     // its column
    LabelRange labels = {};                     // to which predictions of numbers are clipped
    std::optional<TableState> table = {};       // none: rows are not those of a table
    Round rounds = 0;                           // rounds learned so far
    std::vector<Real> x = {};                   // weights first, intercepts and biases last
};

std::string to_json(const Model& model);
void save_model(const std::string& path, const Model& model);
/// At the end of a run. If the file cannot be written, the model goes into the temporary folder: it is the
/// purpose of the run.
void save_or_rescue(const std::string& path, const Model& model, RunOutcome& outcome);
/// Throws IoError or DataError naming the file, the key and what was expected.
Model load_model(const std::string& path);
Model parse_model(const std::string& text, const std::string& source);

}  // namespace proxstream
