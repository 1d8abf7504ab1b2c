/// The yardstick under every learned model: how well one constant prediction could have done, in hindsight.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct BestConstant {
    Real prediction = 0;   // of classes the most frequent one
    Real loss = 0;         // mean loss of predicting it always
    bool sampled = false;  // whether it was found on a sample of the targets
};

/// Keeps a uniform sample of the targets in constant memory (exact up to kCapacity of them).
class BestConstantSampler {
  public:
    static constexpr Index kCapacity = 4096;

    explicit BestConstantSampler(std::uint64_t seed) : seed_(seed) { targets_.reserve(kCapacity); }

    void add(Real target);
    /// The best constant for a linear model, the frequencies of classes where a loss has probabilities of
    /// them; nullopt for other losses, or without data.
    std::optional<BestConstant> best(const std::string& loss) const;

  private:
    void plan_next();

    std::uint64_t seed_;
    std::uint64_t seen_ = 0;
    std::uint64_t next_ = 0;      // the target that takes the place of another one
    std::uint64_t replaced_ = 0;  // places that were planned for so far
    Real threshold_ = 1;          // the largest of the tickets that those kept have drawn
    std::vector<Real> targets_;
};

}  // namespace proxstream
