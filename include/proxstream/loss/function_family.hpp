/// Losses given as code: the record of a round is a function.
#pragma once

#include "proxstream/loss/loss_family.hpp"

#include <functional>

namespace proxstream {

/// The loss family whose records are functions. OnlineLearner uses it when observe() is called with a
/// function, so most programs never name it. Functions cannot be saved: give losses as records of a family of
/// your own if runs have to be restored. Example: examples/01_closures.cpp
class FunctionFamily {
  public:
    /// Returns f(x) and overwrites `gradient` with grad f(x). It must be safe to call from several threads if
    /// the learner is used with several.
    using Record = std::function<Real(ConstView x, View gradient)>;

    /// With `value_alone` the functions get an empty `gradient` where only the value is wanted, which saves
    /// them work. Otherwise they always get one to write to.
    explicit FunctionFamily(Index dimension, bool value_alone = false)
        : dimension_(dimension), value_alone_(value_alone) {}

    /// Length of x.
    Index dimension() const { return dimension_; }
    /// f(x).
    Real value(const Record& record, ConstView x, Scratch& scratch) const {
        if (value_alone_) return record(x, {});
        Scratch::Frame frame(scratch);
        return record(x, frame.take(x.size()));
    }
    /// f(x), and overwrites `gradient`.
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        return record(x, gradient);
    }

  private:
    Index dimension_;
    bool value_alone_;
};

static_assert(LossFamily<FunctionFamily>);

}  // namespace proxstream
