/// From settings to the rows of a run: which reader, and what is wrapped around it.
#pragma once

#include "run/row_reader.hpp"
#include "run/row_settings.hpp"

namespace proxstream {

/// The lags, each once, in the order given; `1..8` stands for eight of them. `together` rows are predicted
/// before any of their labels is known. Throws ConfigError with everything that is wrong with them, ahead and
/// lag-columns; empty when there are none.
std::vector<Index> lags_of(const RowSettings& settings, Index together);

/// What the settings put around rows: scaling to length 1, lags. Throws ConfigError.
std::unique_ptr<RowReader> wrap_reader(const RowSettings& settings, Index together,
                                       std::unique_ptr<RowReader> reader);
/// How labels are to be read.
TargetRule target_rule_of(const RowSettings& settings);

/// Opens the data. Throws ConfigError, DataError or IoError.
std::unique_ptr<RowReader> open_reader(const RowSettings& settings, Index together, StopFlag stop);

}  // namespace proxstream
