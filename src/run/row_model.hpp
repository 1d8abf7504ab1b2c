/// From settings to a model of rows and back: g over the coordinates it acts on, where learning starts, and
/// the file a learned model is kept in.
#pragma once

#include "proxstream/loss/row_family.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "run/model_file.hpp"
#include "run/row_reader.hpp"
#include "run/row_settings.hpp"

namespace proxstream {

/// Whether features are standardised.
bool scales(const RowSettings& settings, const RowReader& reader);

/// g on the penalised coordinates; intercepts and biases are left free. Throws ConfigError if it does not
/// fit.
AnyRegulariser regulariser_of(const RowSettings& settings, const RowFamily& family);

/// The model that the settings start from. Throws ConfigError with everything about it that does not fit a
/// run with these settings (lags as lags_of gives them).
Model starting_model(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader,
                     const RowFamily& family);

/// What the settings and the data say of a model, its numbers apart.
Model model_of(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader);

}  // namespace proxstream
