/// paths.csv: every path of a run, numbered in the order of appearance, with the epochs in which it was added
/// and removed.
#pragma once

#include "io/csv_file.hpp"
#include "traffic/path_set.hpp"

#include <optional>
#include <vector>

namespace proxstream {

class PathLog {
  public:
    /// `network` has to outlive it.
    explicit PathLog(const Network& network) : network_(network) {}
    void open(OutputFile file);

    /// Writes the changes since the last call; they make a new epoch if there are any.
    void follow(const PathSet& paths);
    /// Number of changes so far, the first paths included.
    Index epoch() const noexcept { return epoch_; }
    /// The number of the path in a live slot.
    Index path(SlotIndex slot) const { return slots_[slot].path; }
    void close() { file_->close(); }
    void mark(OutputMarks& marks) { file_->mark(marks); }
    void serialise(StateArchive& archive);

  private:
    struct Slot {
        std::uint64_t print = 0;  // of the links; 0: empty
        Index path = 0;
    };
    void write(const PathSet& paths, SlotIndex slot, Index pair, bool live);

    std::optional<CsvFile> file_;
    const Network& network_;
    std::vector<Slot> slots_;
    Index count_ = 0;
    Index epoch_ = 0;
};

}  // namespace proxstream
