/// Losses given as code: a record is a function.
#pragma once

#include "proxstream/loss/loss_family.hpp"

#include <functional>

namespace proxstream {

class FunctionFamily {
  public:
    /// Returns f(x) and overwrites `gradient` with grad f(x). Called from const methods: it must be safe to
    /// call from several threads if the learner is.
    using Record = std::function<Real(ConstView x, View gradient)>;

    /// `value_alone`: the functions accept an empty `gradient` where only the value is wanted, which saves
    /// them its work. Otherwise they always get one to write to.
    explicit FunctionFamily(Index dimension, bool value_alone = false)
        : dimension_(dimension), value_alone_(value_alone) {}

    Index dimension() const { return dimension_; }
    Real value(const Record& record, ConstView x, Scratch& scratch) const {
        if (value_alone_) return record(x, {});
        Scratch::Frame frame(scratch);
        return record(x, frame.take(x.size()));
    }
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        return record(x, gradient);
    }

  private:
    Index dimension_;
    bool value_alone_;
};

static_assert(LossFamily<FunctionFamily>);

}  // namespace proxstream
