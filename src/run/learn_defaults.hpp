/// What `learn` and `compare` choose where a setting says auto: the loss and the regulariser.
#pragma once

#include "run/learn_settings.hpp"
#include "run/model_file.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// Copies what the settings leave open from a model: loss, regulariser, classes, columns, scaling, lags.
void adopt(const Model& model, RowSettings& settings);

/// Replaces every `auto` that needs no data. `reasons`, if given, gets a sentence for each choice. Settings
/// without `auto` are returned unchanged. Throws what load_model() throws if the loss is that of a starting
/// model.
///
/// Loss: that of the starting model; else cauchy on a standardised label, which a few gross errors do not
/// ruin. It is squared beside forecast rows, whose labels cannot be standardised. Regulariser: l2sq:0.001 for
/// logistic, whose minimiser need not exist without one; else none.
LearnSettings with_defaults(LearnSettings settings, std::vector<std::string>* reasons = nullptr);

}  // namespace proxstream
