/// Demand that somebody hands in, a record at a time: the JSON object of a line of JSON demand
/// (docs/networks.md).
#pragma once

#include "traffic/open_demand.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace proxstream {

class FedDemand final : public DemandStream {
  public:
    /// `network` has to stay; `options.pairs` are those that are served.
    FedDemand(const Network& network, DemandOptions options);
    ~FedDemand() override;

    /// The record that announce() tells of next. One without a label is called by its number, from 1.
    void feed(std::string_view record, std::uint64_t number);

    const std::vector<Pair>& pairs() const override { return options_.pairs; }
    bool announce(DemandPeriod& period) override;
    void reveal(DemandPeriod& period) override;
    std::string source() const override { return "record"; }
    std::uint64_t line() const override { return number_; }

  private:
    const Network& network_;
    DemandOptions options_;
    std::string record_;
    std::uint64_t number_ = 0;
    bool waiting_ = false;
    std::unique_ptr<DemandStream> reading_;  // of this one record
};

}  // namespace proxstream
