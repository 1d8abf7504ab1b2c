/// paths.csv: every path there ever was, numbered in the order they came, with when it came and went.
#pragma once

#include "route/csv_file.hpp"
#include "traffic/path_set.hpp"

#include <vector>

namespace proxstream {

class PathLog {
  public:
    /// `network` has to stay.
    PathLog(const std::string& file, const Network& network);
    /// Goes on with a file; exchange() has to follow.
    PathLog(const std::string& file, const Network& network, std::uint64_t bytes)
        : file_(file, bytes), network_(network) {}

    /// Writes down what is different from the last call, as a new epoch if anything is.
    void follow(const PathSet& paths);
    /// How often paths changed, the first ones included.
    Index epoch() const noexcept { return epoch_; }
    /// The number of the path in a live slot.
    Index path(SlotIndex slot) const { return slots_[slot].path; }
    void flush() { file_.flush(); }
    void close() { file_.close(); }
    std::uint64_t bytes() { return file_.bytes(); }
    void exchange(Checkpoint& checkpoint);

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
