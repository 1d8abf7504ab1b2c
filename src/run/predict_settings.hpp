/// The settings of `predict`, with their options.
#pragma once

#include "run/row_settings.hpp"

#include <span>
#include <string>

namespace proxstream {

struct PredictSettings : RowSettings {
    Index horizon = 0;
    bool refill = false;  // lags come from the rows, not from the end of the model's training rows
    std::string predictions = "-";
    bool quiet = false;

    /// The options, in the order of the help. The first of `data` is the model.
    static std::span<const OptionRow<PredictSettings>> options();
};

/// Throws ConfigError with every violation.
void validate(const PredictSettings& settings);

}  // namespace proxstream
