#include "traffic/fed_demand.hpp"

#include "traffic/json_demand.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {

FedDemand::FedDemand(const Network& network, DemandOptions options)
    : network_(network), options_(std::move(options)) {}

FedDemand::~FedDemand() = default;

void FedDemand::feed(std::string_view record, std::uint64_t number) {
    record_ = record;
    // A line of its own, however it was laid out.
    std::replace_if(
        record_.begin(), record_.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    number_ = number;
    waiting_ = true;
}

bool FedDemand::announce(DemandPeriod& period) {
    if (!std::exchange(waiting_, false)) return false;
    DemandOptions options = options_;
    options.periods_before = number_ - 1;
    reading_ = std::make_unique<JsonDemand>(
        std::make_unique<LineReader>(memory_input(source(), record_).open()), network_, options);
    return reading_->announce(period);
}

void FedDemand::reveal(DemandPeriod& period) {
    reading_->reveal(period);
}

}  // namespace proxstream
