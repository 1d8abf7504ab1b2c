/// The contract of g, the convex part of every loss: a value and a proximal map.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace proxstream {

/// value(x) is g(x), +infinity outside dom g.
/// prox(v, step, out) writes argmin_z { step g(z) + |v - z|^2 / 2 } and returns g(out); out may alias v.
template <class G>
concept Regulariser = std::copyable<G> &&
    requires(const G& g, ConstView v, Real step, View out, Scratch& scratch) {
    { g.value(v, scratch) } -> std::same_as<Real>;
    { g.prox(v, step, out, scratch) } -> std::same_as<Real>;
};

// What a regulariser may offer beyond the contract; the functions below fall back where it does not.
//   void check_dimension(Index n) const        throws ConfigError if g does not fit vectors of length n
//   void project_direction(View d) const       removes from d what is orthogonal to the affine hull of dom g:
//                                              prox residuals do not see it, so certificates need not pay for
//                                              it
//   Real infimum() const                       inf g; 0 unless stated

template <Regulariser G>
void check_dimension(const G& g, Index n) {
    if constexpr (requires { g.check_dimension(n); }) g.check_dimension(n);
}

template <Regulariser G>
void project_direction(const G& g, View d) {
    if constexpr (requires { g.project_direction(d); }) g.project_direction(d);
}

template <Regulariser G>
Real infimum(const G& g) {
    if constexpr (requires { g.infimum(); }) {
        return g.infimum();
    } else {
        return 0;
    }
}

/// Any regulariser behind one type: for everything that is chosen at run time. Copies share the (immutable)
/// operator.
class AnyRegulariser {
  public:
    // "Not itself" comes first: asking whether this type is a Regulariser asks for its constructors again.
    template <class G>
    requires(!std::same_as<std::remove_cvref_t<G>, AnyRegulariser> &&
             Regulariser<G>) explicit AnyRegulariser(G g)
        : self_(std::make_shared<Model<G>>(std::move(g))) {}

    Real value(ConstView x, Scratch& scratch) const { return self_->value(x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return self_->prox(v, step, out, scratch);
    }
    void check_dimension(Index n) const { self_->check_dimension(n); }
    void project_direction(View d) const { self_->project_direction(d); }
    Real infimum() const { return self_->infimum(); }

  private:
    struct Base {
        virtual ~Base() = default;
        virtual Real value(ConstView x, Scratch& scratch) const = 0;
        virtual Real prox(ConstView v, Real step, View out, Scratch& scratch) const = 0;
        virtual void check_dimension(Index n) const = 0;
        virtual void project_direction(View d) const = 0;
        virtual Real infimum() const = 0;
    };
    template <class G>
    struct Model final : Base {
        explicit Model(G held) : g(std::move(held)) {}
        Real value(ConstView x, Scratch& scratch) const override { return g.value(x, scratch); }
        Real prox(ConstView v, Real step, View out, Scratch& scratch) const override {
            return g.prox(v, step, out, scratch);
        }
        void check_dimension(Index n) const override { proxstream::check_dimension(g, n); }
        void project_direction(View d) const override { proxstream::project_direction(g, d); }
        Real infimum() const override { return proxstream::infimum(g); }
        G g;
    };
    std::shared_ptr<const Base> self_;
};

static_assert(Regulariser<AnyRegulariser>);

}  // namespace proxstream
