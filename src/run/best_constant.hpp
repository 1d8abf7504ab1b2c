/// The loss of the best constant prediction in hindsight, with which every learned model is compared.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct BestConstant {
    Real prediction = 0;   // of classes the most frequent one
    Real loss = 0;         // mean of the weighted losses if it is always predicted
    bool sampled = false;  // found on a sample of the targets
};

/// Keeps a uniform sample of the targets in constant memory (exact up to kCapacity of them).
class BestConstantSampler {
  public:
    static constexpr Index kCapacity = 4096;

    explicit BestConstantSampler(std::uint64_t seed) : seed_(seed) {}

    void add(Real target, Real weight = 1);
    /// The best constant for a linear model, the frequencies of classes where a loss has probabilities of
    /// them; nullopt for other losses, or without data.
    std::optional<BestConstant> best(const std::string& loss) const;

  private:
    void plan_next();

    std::uint64_t seed_;
    std::uint64_t seen_ = 0;
    std::uint64_t next_ = 0;      // the target that takes the place of another one
    std::uint64_t replaced_ = 0;  // replacements planned so far
    Real threshold_ = 1;          // the largest ticket among the targets in the sample
    RowBlock sample_;             // rows without features
};

}  // namespace proxstream
