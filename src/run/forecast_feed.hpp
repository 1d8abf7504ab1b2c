/// Forecasts that come with a stream: a second file of rows, where each row is the forecast of the data's row
/// in the same place. While record t is learned from, the forecast of record t+1 is already known.
#pragma once

#include "run/learn_settings.hpp"
#include "run/record_stream.hpp"

namespace proxstream {

class ForecastFeed {
  public:
    /// Opens settings.forecast. Throws ConfigError if its rows do not have `features` columns.
    ForecastFeed(const LearnSettings& settings, Index features, StopFlag stop);

    /// Called once per record of the data. Returns the forecast of the next record, or nullptr when the
    /// forecasts have ended. Throws DataError if it is called again after that.
    const RowBlock* next();

  private:
    RecordStream stream_;
    RowBlock record_;
    bool started_ = false;
    bool ended_ = false;
    std::uint64_t records_ = 0;
};

}  // namespace proxstream
