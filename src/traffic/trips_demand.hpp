/// Demand from whole files: one trip table for several periods, or a file a period.
#pragma once

#include "traffic/open_demand.hpp"
#include "traffic/pair_index.hpp"

namespace proxstream {

std::unique_ptr<DemandStream> repeat_trips(const Input& input, const Network& network,
                                           const DemandOptions& options);
/// Every file in a format of read_trips(); labels are the names of the files.
std::unique_ptr<DemandStream> follow_files(std::vector<std::string> paths, const Network& network,
                                           const DemandOptions& options);

/// Demand files of a folder, in the natural order of their names: 2 before 10.
std::vector<std::string> demand_files(const std::string& folder);

}  // namespace proxstream
