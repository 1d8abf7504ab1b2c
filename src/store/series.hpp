/// The figures of a run's turns in a bounded number of buckets: whatever its length, a picture of all of it.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// When all buckets are full, neighbours are joined and each covers twice as many turns from then on.
class Series {
  public:
    static constexpr Index kMostBuckets = 1024;

    explicit Series(Index channels = 0) : channels_(channels) {}

    /// The next turn: a number a channel; NaN: not known, and left out.
    void add(std::uint64_t turn, std::span<const Real> values);

    Index channels() const noexcept { return channels_; }
    Index buckets() const noexcept { return first_.size(); }
    std::uint64_t first(Index bucket) const { return first_[bucket]; }  // turn
    std::uint64_t last(Index bucket) const { return last_[bucket]; }
    /// How many numbers of a channel are known in a bucket.
    std::uint64_t known(Index bucket, Index channel) const { return cell(bucket, channel).count; }
    // Of the known numbers in the bucket; NaN if there are none.
    Real mean(Index bucket, Index channel) const;
    Real least(Index bucket, Index channel) const;
    Real most(Index bucket, Index channel) const;
    Real latest(Index bucket, Index channel) const;

    /// A bucket as bytes; restore() takes those of all buckets in turn. False: they are none.
    std::string bytes(Index bucket) const;
    bool restore(std::string_view bytes);
    /// The first bucket that has changed since settle(); buckets() if none has.
    Index touched() const noexcept { return touched_; }
    void settle() noexcept { touched_ = first_.size(); }

  private:
    struct Cell {
        Real sum = 0, least = 0, most = 0, latest = 0;
        std::uint64_t count = 0;
    };
    void halve();
    const Cell& cell(Index bucket, Index channel) const { return cells_[bucket * channels_ + channel]; }

    Index channels_;
    std::uint64_t width_ = 1;  // turns a bucket
    std::vector<std::uint64_t> first_, last_;
    std::vector<Cell> cells_;
    Index touched_ = 0;
};

}  // namespace proxstream
