/// Demand over time: one matrix a period, and events on the network in between.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// A change of the network. It applies before the splits of its period are chosen.
struct NetworkEvent {
    enum class Kind { capacity, close, open };
    Kind kind = Kind::capacity;
    LinkIndex link = 0;
    Real factor = 1;        // of the capacity in the network's file, for Kind::capacity
    std::string text = {};  // a remark for reports; may be empty
};

struct DemandPeriod {
    std::string label;         // a time or a number; unique in a stream
    std::vector<Real> demand;  // by pair; empty: only events
    std::vector<NetworkEvent> events;
};

class DemandStream {
  public:
    virtual ~DemandStream() = default;
    /// The pairs with demand in every period, ascending, none from a node to itself.
    virtual const std::vector<Pair>& pairs() const = 0;
    /// The next period without its demand: label and events. Returns false at the end.
    virtual bool announce(DemandPeriod& period) = 0;
    /// The demand of the announced period. Throws DataError if the period cannot be used; the next one can
    /// still be announced.
    virtual void reveal(DemandPeriod& period) = 0;
    virtual std::string source() const = 0;
    virtual std::uint64_t line() const = 0;
    /// Decisions of the reader so far, each a sentence.
    virtual std::vector<std::string> notes() const { return {}; }
};

enum class DemandFormat { detect, matrix, csv, jsonl, sndlib, trips };

/// auto, matrix, csv, jsonl, sndlib or trips; throws ConfigError for another word.
DemandFormat parse_demand_format(std::string_view name);

struct DemandOptions {
    DemandFormat format = DemandFormat::detect;
    /// Empty: the pairs that the input names, if it does so at its beginning or can be read twice, otherwise
    /// every ordered pair of zones.
    std::vector<Pair> pairs = {};
    Index zones = 0;                   // the number of zones, which are the first nodes; 0: all nodes
    Real scale = 1;                    // multiplies every number, > 0
    Index repeat = 1;                  // number of periods with the demand of one trip table
    std::uint64_t periods_before = 0;  // added to the numbers of periods without a label
};

/// `network` must outlive the stream. "-" is standard input. A folder holds SNDlib files, one per period, in
/// the natural order of their names. A period is available as soon as its line has arrived. Throws IoError,
/// DataError, ConfigError.
std::unique_ptr<DemandStream> open_demand(const std::string& path, const Network& network,
                                          const DemandOptions& options = {}, StopFlag stop = nullptr);
/// One file per period, in the order given, each a demand matrix in a format of read_trips().
std::unique_ptr<DemandStream> open_demand_files(std::vector<std::string> paths, const Network& network,
                                                const DemandOptions& options = {});
/// Lines from any input.
std::unique_ptr<DemandStream> read_demand(const Input& input, const Network& network,
                                          const DemandOptions& options = {});

}  // namespace proxstream
