/// From settings to the rows of a run: which reader, and what is wrapped around it.
#pragma once

#include "run/corrupted_reader.hpp"
#include "run/row_reader.hpp"
#include "run/row_settings.hpp"

namespace proxstream {

/// The lags, each once, in the order given; `1..8` stands for eight of them. `together` rows are predicted
/// before any of their labels is known. Throws ConfigError with everything that is wrong with them, ahead and
/// lag-columns; empty when there are none.
std::vector<Index> lags_of(const RowSettings& settings, Index together);
/// Throws ConfigError unless the text is SHARE or SHARE,SCALE.
CorruptOptions corruption_of(const RowSettings& settings);

/// What the settings put around rows: errors, lengths, lags. Throws ConfigError.
std::unique_ptr<RowReader> wrap_reader(const RowSettings& settings, Index together,
                                       std::unique_ptr<RowReader> reader);
/// How labels are to be read.
TargetRule target_rule_of(const RowSettings& settings);

/// Opens the data. Throws ConfigError, DataError or IoError.
std::unique_ptr<RowReader> open_reader(const RowSettings& settings, Index together, StopFlag stop);

}  // namespace proxstream
