/// The smooth part f of an offline problem: the mean of n components, or an expectation. A sample is a
/// number, which names the same random choice at every point; estimators of differences rest on that.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_family.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace proxstream {

class ReducedRows;

using SampleId = std::uint64_t;

/// Lipschitz constants of the gradients of f and of its samples.
using SmoothnessFacts = DataSmoothness;

class SampledLoss {
  public:
    virtual ~SampledLoss() = default;

    virtual Index dimension() const = 0;
    /// n, whose samples are 0 ... n-1; 0: an expectation, of which every number is a sample.
    virtual std::uint64_t components() const = 0;

    /// The mean over the samples named of their losses at x; overwrites `gradient` with that of their
    /// gradients. A sample named twice counts twice. At least one.
    virtual Real mean(std::span<const SampleId> samples, ConstView x, View gradient,
                      Scratch& scratch) const = 0;

    /// Whether f itself can be evaluated: sums can, expectations where a closed form is known.
    virtual bool knows_f() const { return components() > 0; }
    /// f(x), and its gradient unless `gradient` is empty. Only where knows_f().
    virtual Real f(ConstView x, View gradient, Scratch& scratch) const = 0;

    /// Prepares a reduced model around x, in which only these coordinates move (loss/reduced_rows.hpp).
    /// False: there is none.
    virtual bool reduce(std::span<const Index> /*coordinates*/, ConstView /*x*/,
                        ReducedRows& /*rows*/) const {
        return false;
    }
    /// Whether reduce() can be worth its price.
    virtual bool reducible() const { return false; }

    /// Constants that hold everywhere; nothing where there are none to read off the data.
    virtual std::optional<SmoothnessFacts> smoothness() const { return std::nullopt; }
    /// A lower bound of f.
    virtual Real infimum() const { return -kInfinity; }
};

}  // namespace proxstream
