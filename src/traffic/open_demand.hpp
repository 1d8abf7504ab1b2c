/// Demand series from files, folders and pipes, told apart by their content.
#pragma once

#include "traffic/demand_stream.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

enum class DemandFormat { detect, matrix, csv, jsonl, sndlib, trips };

/// auto, matrix, csv, jsonl, sndlib or trips; throws ConfigError for another word.
DemandFormat parse_demand_format(std::string_view name);

struct DemandOptions {
    DemandFormat format = DemandFormat::detect;
    /// Empty: those the input names, where it does so at its beginning or can be read twice; otherwise every
    /// ordered pair of zones.
    std::vector<Pair> pairs = {};
    Index zones = 0;                   // the first so many nodes of the network; 0: all of them
    Real scale = 1;                    // multiplies every number, > 0
    Index repeat = 1;                  // how many periods one trip table is the demand of
    std::uint64_t periods_before = 0;  // JSON lines: where periods without a label are counted on from
};

/// `network` has to outlive the stream. "-" is standard input; a folder holds SNDlib files, a period each, in
/// the natural order of their names. A period is handed out as soon as its line has arrived. Throws IoError,
/// DataError, ConfigError.
std::unique_ptr<DemandStream> open_demand(const std::string& path, const Network& network,
                                          const DemandOptions& options = {}, StopFlag stop = nullptr);
/// A file a period, in the order given, each a demand matrix in a format of read_trips().
std::unique_ptr<DemandStream> open_demand_files(std::vector<std::string> paths, const Network& network,
                                                const DemandOptions& options = {});
/// Lines from any input.
std::unique_ptr<DemandStream> read_demand(const Input& input, const Network& network,
                                          const DemandOptions& options = {});

}  // namespace proxstream
