/// Demand streams from texts, read to their end.
#pragma once

#include "traffic/reader_support.hpp"

#include <gtest/gtest.h>

namespace proxstream::test {

inline const Network& small_network() {
    static const NetworkFile kFile =
        network_of("from,to,capacity,name\nA,B,1,\nB,C,1,the road\nC,A,1,\nA,B,1,\nB,A-B,1,\nA-B,A,1,\n");
    return kFile.network;  // nodes A, B, C and A-B
}

struct ReadPeriod {
    std::string label;
    std::vector<Real> demand;
    std::vector<NetworkEvent> events;
    std::string error;
};

inline std::vector<ReadPeriod> read_periods(DemandStream& stream) {
    std::vector<ReadPeriod> periods;
    DemandPeriod period;
    while (stream.announce(period)) {
        EXPECT_TRUE(period.demand.empty());
        const std::string error = data_error_of([&] { stream.reveal(period); });
        EXPECT_TRUE(error.empty() || period.demand.empty());
        periods.push_back({period.label, period.demand, period.events, error});
    }
    return periods;
}

inline std::unique_ptr<DemandStream> stream_of(const std::string& text, const DemandOptions& options = {},
                                               std::size_t piece = 3) {
    return read_demand(memory_input("d", text, piece), small_network(), options);
}

inline std::vector<ReadPeriod> periods_of(const std::string& text, const DemandOptions& options = {}) {
    return read_periods(*stream_of(text, options));
}

inline std::string first_error(const std::string& text, const DemandOptions& options = {}) {
    const auto periods = periods_of(text, options);
    return periods.empty() ? "no period" : periods.front().error;
}

}  // namespace proxstream::test
