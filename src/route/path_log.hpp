/// paths.csv: every path of a run, numbered in the order of appearance, with the epochs in which it was added
/// and removed.
#pragma once

#include "io/csv_file.hpp"
#include "traffic/path_set.hpp"

#include <vector>

namespace proxstream {

class PathLog {
  public:
    /// `network` has to outlive it.
    PathLog(const std::string& file, const Network& network);
    /// Continues a file after its first `bytes`; call serialise() next.
    PathLog(const std::string& file, const Network& network, std::uint64_t bytes)
        : file_(file, bytes), network_(network) {}

    /// Writes the changes since the last call; they make a new epoch if there are any.
    void follow(const PathSet& paths);
    /// Number of changes so far, the first paths included.
    Index epoch() const noexcept { return epoch_; }
    /// The number of the path in a live slot.
    Index path(SlotIndex slot) const { return slots_[slot].path; }
    void flush() { file_.flush(); }
    void close() { file_.close(); }
    std::uint64_t bytes() { return file_.bytes(); }
    void serialise(StateArchive& archive);

  private:
    struct Slot {
        std::uint64_t print = 0;  // of the links; 0: empty
        Index path = 0;
    };
    void write(const PathSet& paths, SlotIndex slot, Index pair, bool live);

    CsvFile file_;
    const Network& network_;
    std::vector<Slot> slots_;
    Index count_ = 0;
    Index epoch_ = 0;
};

}  // namespace proxstream
