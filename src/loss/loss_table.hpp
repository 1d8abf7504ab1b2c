/// The losses a user can name: one row each, and the one place that reads their textual form. `list losses`,
/// the command line, TOML and model files all come here.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/loss/row_loss.hpp"

#include "loss/pass_family.hpp"
#include "loss/scalar_loss.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

struct LossRow {
    std::string name;
    std::string usage;      // the textual form
    std::string formula;    // of one row; registered ones say it in `help`
    std::string curvature;  // a bound on the second derivative along the score
    std::string help;
    ScalarLoss (*scalar)(const Spec& spec);  // the loss of a score; nullptr for models of their own
    std::function<std::unique_ptr<PassFamily>(const Spec& spec, const RowShape& shape)> make;
};

/// Those that are built in, then those that were registered.
std::span<const LossRow> losses();

/// `huber:1.5`, `mlp:hidden=16;16,task=softmax,classes=3`, ... Throws ConfigError if the name or an argument
/// is unknown or out of range.
std::unique_ptr<PassFamily> parse_loss(std::string_view text, const RowShape& shape);

/// What RowShape::largest says of these rows; empty for sparse ones.
std::vector<Real> largest_values(const RowBlock& rows, Index features);

/// The text with what the data said in it, so that it makes the same model without them.
std::string complete_loss(std::string_view text, const RowShape& shape);

/// The loss of rows of some shape, for what does not depend on it. Refuses what parse_loss refuses.
std::unique_ptr<PassFamily> example_of_loss(std::string_view text);

/// What the target column has to hold, before any data is read.
TargetKind loss_target(std::string_view text);

}  // namespace proxstream
