/// Forecasts that come with a stream: a second file of rows, each the forecast of the data's row in the same
/// place. While record t is learned from, the forecast of record t+1 is already known.
#pragma once

#include "run/learn_settings.hpp"
#include "run/record_stream.hpp"

#include <memory>

namespace proxstream {

class ForecastFeed {
  public:
    /// Opens settings.forecast as the data are opened. Throws ConfigError if its rows have not `features`
    /// columns.
    ForecastFeed(const LearnSettings& settings, Index features, StopFlag stop);

    /// Called once a record of the data: the forecast of the one after it; nullptr: the forecasts have ended,
    /// which only the last record may see. Throws DataError if the data go on after that.
    const RowBlock* next();

  private:
    RecordStream stream_;
    RowBlock record_;
    bool started_ = false;
    bool ended_ = false;
    std::uint64_t records_ = 0;
};

}  // namespace proxstream
