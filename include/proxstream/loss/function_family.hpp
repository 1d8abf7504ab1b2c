/// Losses given as code: a record is a function.
#pragma once

#include "proxstream/loss/loss_family.hpp"

#include <functional>

namespace proxstream {

class FunctionFamily {
  public:
    /// Returns f(x) and overwrites `gradient` with grad f(x), unless `gradient` is empty: then only the
    /// value is wanted. Called from const methods: it must be safe to call from several threads if the
    /// learner is.
    using Record = std::function<Real(ConstView x, View gradient)>;

    explicit FunctionFamily(Index dimension) : dimension_(dimension) {}

    Index dimension() const { return dimension_; }
    Real value(const Record& record, ConstView x, Scratch& /*scratch*/) const { return record(x, {}); }
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        return record(x, gradient);
    }

  private:
    Index dimension_;
};

static_assert(LossFamily<FunctionFamily>);

}  // namespace proxstream
