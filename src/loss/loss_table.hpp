/// The losses a user can name: one row each, and the one place that reads their textual form. `list losses`,
/// the command line, TOML and model files all come here.
#pragma once

#include "proxstream/core/spec.hpp"

#include "loss/pass_family.hpp"
#include "loss/scalar_loss.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// What the data say about the shape of a model.
struct RowShape {
    Index features = 0;
    bool intercept = true;           // linear models only: networks always have biases, pca has none
    Index classes = 0;               // for losses over categories whose text does not tell; 0: not known
    std::vector<Real> largest = {};  // of each feature, where all rows are known; else empty
};

struct LossRow {
    std::string_view name;
    std::string_view usage;      // the textual form
    std::string_view formula;    // of one row
    std::string_view curvature;  // a bound on the second derivative along the score
    std::string_view help;
    ScalarLoss (*scalar)(const Spec& spec);  // the loss of a score; nullptr for models of their own
    std::unique_ptr<PassFamily> (*make)(const Spec& spec, const RowShape& shape);
};

std::span<const LossRow> losses();

/// `huber:1.5`, `mlp:hidden=16;16,task=softmax,classes=3`, ... Throws ConfigError if the name or an argument
/// is unknown or out of range.
std::unique_ptr<PassFamily> parse_loss(std::string_view text, const RowShape& shape);

/// The text with what the data said in it, so that it makes the same model without them.
std::string complete_loss(std::string_view text, const RowShape& shape);

/// What the target column has to hold, before any data is read. Refuses what parse_loss refuses.
TargetKind loss_target(std::string_view text);

}  // namespace proxstream
