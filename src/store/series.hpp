/// The figures of a run's turns in a bounded number of buckets, which cover the whole run at any length.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// When all buckets are full, neighbours are joined, and from then on each bucket covers twice as many turns.
class Series {
  public:
    static constexpr Index kMostBuckets = 1024;

    explicit Series(Index channels = 0) : channels_(channels) {}

    /// Adds the next turn: one number per channel. Numbers that are not finite are left out.
    void add(std::uint64_t turn, std::span<const Real> values);

    Index channels() const noexcept { return channels_; }
    Index buckets() const noexcept { return first_.size(); }
    std::uint64_t first(Index bucket) const { return first_[bucket]; }  // turn
    std::uint64_t last(Index bucket) const { return last_[bucket]; }
    /// How many numbers of a channel a bucket has.
    std::uint64_t known(Index bucket, Index channel) const { return cell(bucket, channel).count; }
    // Over the numbers of the bucket; NaN if there are none.
    Real mean(Index bucket, Index channel) const;
    Real least(Index bucket, Index channel) const { return or_nan(bucket, channel, &Cell::least); }
    Real most(Index bucket, Index channel) const { return or_nan(bucket, channel, &Cell::most); }
    Real latest(Index bucket, Index channel) const { return or_nan(bucket, channel, &Cell::latest); }

    /// A bucket as bytes. restore() appends one bucket; it returns false if the bytes are not a bucket.
    std::string bytes(Index bucket) const;
    bool restore(std::string_view bytes);
    /// The first bucket that has changed since settle(); buckets() if none has.
    Index touched() const noexcept { return touched_; }
    void settle() noexcept { touched_ = first_.size(); }

  private:
    struct Cell {
        Real sum = 0, least = 0, most = 0, latest = 0;
        std::uint64_t count = 0;

        void join(const Cell& later);
    };
    void halve();
    const Cell& cell(Index bucket, Index channel) const { return cells_[bucket * channels_ + channel]; }
    Real or_nan(Index bucket, Index channel, Real Cell::*member) const;

    Index channels_;
    std::uint64_t width_ = 1;  // turns per bucket
    std::vector<std::uint64_t> first_, last_;
    std::vector<Cell> cells_;
    Index touched_ = 0;
};

}  // namespace proxstream
