/// t*: one of the points a run passes, all of them equally likely.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/state_archive.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

/// A random index without knowing how many there will be: the k-th candidate replaces the one that is kept
/// with probability 1/k, so that in the end all of them were equally likely.
class RandomIndex {
  public:
    explicit RandomIndex(std::uint64_t seed) : seed_(seed) {}

    void offer(ConstView x, std::uint64_t iteration) {
        const Draw draw{.seed = seed_, .round = 0, .record = kIndexDraws, .step = 0, .sample = offered_};
        ++offered_;
        if (uniform_below(draw, offered_) != 0) return;
        x_.assign(x.begin(), x.end());
        iteration_ = iteration;
    }
    bool any() const { return offered_ > 0; }
    ConstView point() const { return x_; }
    std::uint64_t iteration() const { return iteration_; }

    void serialise(StateArchive& archive) {
        archive.fields(Field{"offered", offered_}, Field{"x", x_}, Field{"iteration", iteration_});
    }

  private:
    /// The draws that decide which point is t*, apart from those of the samples.
    static constexpr std::uint32_t kIndexDraws = 64;

    std::uint64_t seed_;
    std::uint64_t offered_ = 0;
    std::vector<Real> x_;
    std::uint64_t iteration_ = 0;
};

}  // namespace proxstream
