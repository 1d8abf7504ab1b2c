#include "run/forecast_feed.hpp"

#include "proxstream/core/error.hpp"

#include "run/settings_reader.hpp"

#include <string>
#include <utility>

namespace proxstream {
namespace {

RecordStream open_forecasts(const LearnSettings& settings, Index features, StopFlag stop) {
    LearnSettings own = settings;
    own.data = {settings.forecast};
    own.wrap_rows = nullptr;  // injected errors cannot be forecast
    auto reader = open_reader(own, own.batch, stop);
    if (reader->features() != features) {
        throw ConfigError("forecast = " + settings.forecast + ": its rows have " +
                          std::to_string(reader->features()) + " features, the data's have " +
                          std::to_string(features));
    }
    RecordStream::Options options;
    options.batch = settings.batch;
    options.single = settings.single;
    return {std::move(reader), std::move(options)};
}

}  // namespace

ForecastFeed::ForecastFeed(const LearnSettings& settings, Index features, StopFlag stop)
    : stream_(open_forecasts(settings, features, stop)), record_(stream_.make_record()) {}

const RowBlock* ForecastFeed::next() {
    if (ended_) {
        throw DataError(
            {stream_.reader().source(), stream_.reader().line(), 0, ""},
            "the forecasts end after " + std::to_string(records_) + " records, but the data have more",
            "a forecast for every record of the data");
    }
    if (!started_) {
        // The first forecast is for the record that was just read.
        started_ = true;
        if (stream_.next(record_)) ++records_;
    }
    if (!stream_.next(record_)) {
        ended_ = true;
        return nullptr;
    }
    ++records_;
    return &record_;
}

}  // namespace proxstream
