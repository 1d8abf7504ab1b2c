/// Between settings and models of rows: g over the penalised coordinates, the starting point, and the model
/// to be saved.
#pragma once

#include "proxstream/loss/row_family.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "run/model_file.hpp"
#include "run/row_reader.hpp"
#include "run/row_settings.hpp"

namespace proxstream {

/// Whether features are standardised.
bool scales(const RowSettings& settings, const RowReader& reader);

/// g on the penalised coordinates; intercepts and biases are free. Throws ConfigError if it does not fit.
AnyRegulariser regulariser_of(const RowSettings& settings, const RowFamily& family);

/// Throws ConfigError with every option that contradicts the model to start from: classes, scaling, columns.
void check_given(const Model& model, const RowSettings& settings);

/// The model that the settings start from. Throws ConfigError with everything in it that does not fit a run
/// with these settings; `lags` are those of lags_of().
Model starting_model(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader,
                     const RowFamily& family);

/// The model without its numbers, from settings and data.
Model model_of(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader);

}  // namespace proxstream
