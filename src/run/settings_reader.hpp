/// Opens the rows that the settings describe: the reader and its wrappers.
#pragma once

#include "run/row_reader.hpp"
#include "run/row_settings.hpp"

namespace proxstream {

/// The lags in the order given, without duplicates; `1..8` stands for eight lags. `together`: rows predicted
/// before any of their labels is known. Throws ConfigError with everything wrong in lags, ahead and
/// lag-columns. Empty: no lags.
std::vector<Index> lags_of(const RowSettings& settings, Index together);

/// Wraps the reader as the settings ask: scaling to length 1, lags. Throws ConfigError.
std::unique_ptr<RowReader> wrap_reader(const RowSettings& settings, Index together,
                                       std::unique_ptr<RowReader> reader);
/// How labels are read.
TargetRule target_rule_of(const RowSettings& settings);

/// Opens the data. Throws ConfigError, DataError or IoError.
std::unique_ptr<RowReader> open_reader(const RowSettings& settings, Index together, StopFlag stop);

}  // namespace proxstream
