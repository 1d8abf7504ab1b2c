/// What a learner of the service counts, for /metrics.
#pragma once

#include "proxstream/core/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace proxstream {

/// Counts of times between bounds that grow by factors of about three.
struct TimeHistogram {
    static constexpr std::array kBounds{1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03,
                                        0.1,  0.3,  1.0,  3.0,  10.0, 30.0, 100.0};

    void add(double seconds) {
        std::size_t bucket = 0;
        while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
        ++counts[bucket];
        sum += seconds;
    }

    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // the last: above all bounds
    double sum = 0;
};

struct LearnerQueueStats {
    std::uint64_t rounds = 0;    // turns played since the start of the service
    std::uint64_t refused = 0;   // of them: the loss was not finite
    std::uint64_t replayed = 0;  // posts whose turn was played before
    std::uint64_t rejected = 0;  // posts that were not played
    // From the figures, where the kind of learner has them.
    Real steps = 0;
    Real gradients = 0;
    Real seconds = 0;
    Real regret = 0;
    Real regret_bound = 0;
    TimeHistogram post;    // from the post to the answer
    TimeHistogram commit;  // to the disk
    std::uint64_t failed_commits = 0;

    /// Takes the sums so far from the figures of the last turn.
    void set_regret(std::span<const std::string> channels, std::span<const Real> figures);
    void add_turn(bool is_refused, std::span<const std::string> channels, std::span<const Real> figures);
};

}  // namespace proxstream
