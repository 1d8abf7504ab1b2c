/// A reference to a regulariser of any type, for compiled code that only evaluates it.
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include <concepts>

namespace proxstream {

/// The regulariser must outlive the reference.
class RegulariserRef {
  public:
    template <class G>
    requires(!std::same_as<G, RegulariserRef> && Regulariser<G>) RegulariserRef(const G& g)
        : g_(&g),
          value_([](const void* held, ConstView x, Scratch& scratch) {
              return static_cast<const G*>(held)->value(x, scratch);
          }),
          prox_([](const void* held, ConstView v, Real step, View out, Scratch& scratch) {
              return static_cast<const G*>(held)->prox(v, step, out, scratch);
          }) {}

    Real value(ConstView x, Scratch& scratch) const { return value_(g_, x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return prox_(g_, v, step, out, scratch);
    }

  private:
    const void* g_;
    Real (*value_)(const void*, ConstView, Scratch&);
    Real (*prox_)(const void*, ConstView, Real, View, Scratch&);
};

}  // namespace proxstream
