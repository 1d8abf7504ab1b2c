/// Demand as it comes: one matrix a period, and what happens to the network in between.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

/// From the period it stands in on, before that period's splits are chosen.
struct NetworkEvent {
    enum class Kind { capacity, close, open };
    Kind kind = Kind::capacity;
    LinkIndex link = 0;
    Real factor = 1;        // of the capacity in the network's file, for Kind::capacity
    std::string text = {};  // a word for the people who read about it; may be empty
};

struct DemandPeriod {
    std::string label;         // a time or a number; unique in a stream
    std::vector<Real> demand;  // by pair; empty: only events
    std::vector<NetworkEvent> events;
};

class DemandStream {
  public:
    virtual ~DemandStream() = default;
    /// The pairs every period gives demand for, ascending, none with itself.
    virtual const std::vector<Pair>& pairs() const = 0;
    /// What is known before a period's splits are chosen: label and events; false at the end. Then demand().
    virtual bool announce(DemandPeriod& period) = 0;
    /// The demand of the period announced last. Apart, because splits are chosen in between.
    /// Throws DataError for a period that cannot be used; the next can be announced all the same.
    virtual void reveal(DemandPeriod& period) = 0;
    virtual std::string source() const = 0;
    virtual std::uint64_t line() const = 0;
    /// Sentences on what had to be decided so far.
    virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace proxstream
