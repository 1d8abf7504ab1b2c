/// A regulariser whose exceptions become values that are not numbers, as those of losses do
/// (loss/guarded_batch.hpp).
#pragma once

#include "proxstream/loss/guarded_batch.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <memory>
#include <utility>

namespace proxstream {

class GuardedRegulariser {
  public:
    GuardedRegulariser(AnyRegulariser g, std::shared_ptr<CallbackFailure> failure)
        : g_(std::move(g)), failure_(std::move(failure)) {}

    Real value(ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return g_.value(x, scratch); });
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return failure_->value_of([&] { return g_.prox(v, step, out, scratch); }, out);
    }
    void project_direction(View d) const {
        failure_->value_of(
            [&] {
                g_.project_direction(d);
                return Real{0};
            },
            d);
    }
    bool can_switch() const { return g_.can_switch(); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        return failure_->value_of([&] { return g_.switching_prox(v, step, pull, centre, out, scratch); },
                                  out);
    }
    // Asked before the first round or after the last one: their exceptions pass.
    void check_dimension(Index n) const { g_.check_dimension(n); }
    Real infimum() const { return g_.infimum(); }
    const SumTraits& sum_traits() const { return g_.sum_traits(); }

  private:
    AnyRegulariser g_;
    std::shared_ptr<CallbackFailure> failure_;
};

}  // namespace proxstream
