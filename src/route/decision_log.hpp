/// Writes splits for the devices that apply them: a JSON object a line, as soon as the decision is made. If
/// the network changes, a later line for the same period replaces the earlier one.
///
///   {"period":3,"after":"08:05","splits":{"A->B":[{"path":["A-C","C-B"],"share":0.25}, ..], ..}}
///
/// Paths are links by name. An empty path: that share of the demand leaves the network. A pair without any
/// path has an empty list.
#pragma once

#include "io/output_file.hpp"
#include "traffic/path_set.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace proxstream {

/// The line without its newline. `after`: the label of the last period seen; empty: there was none.
std::string decision_json(Index period, std::string_view after, const Network& network, const PathSet& paths,
                          ConstView splits);

class DecisionLog {
  public:
    /// `network` has to outlive it.
    DecisionLog(OutputFile file, const Network& network) : file_(std::move(file)), network_(network) {}

    void write(Index period, std::string_view after, const PathSet& paths, ConstView splits);
    void close() { file_.close(); }
    void mark(OutputMarks& marks) { file_.mark(marks); }

  private:
    OutputFile file_;
    const Network& network_;
};

}  // namespace proxstream
