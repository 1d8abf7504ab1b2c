/// The requirements on g, the convex part of every loss: a value and a proximal map.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/prox/sum_traits.hpp"

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace proxstream {

/// A convex penalty or set g: what a type must offer to be used as a regulariser. It has two const functions
/// and can be copied; nothing is derived from or registered.
///
/// value(x, scratch) is g(x), +infinity outside dom g. prox(v, step, out, scratch) writes the minimiser z of
/// step g(z) + |v - z|^2 / 2 to `out` and returns g(out); `out` may be the same memory as v. A type may also
/// offer check_dimension, project_direction, infimum, prox_scale, sum_traits, and can_switch with
/// switching_prox: the functions of the same names in this header say what each does, and what holds if it is
/// missing.
///
/// \code
/// static_assert(Regulariser<Simplex>);
/// Scratch scratch;
/// const Real value = Simplex().prox(v, 1, out, scratch);  // 0: the value at the projection
/// \endcode
template <class G>
concept Regulariser = std::copyable<G> &&
    requires(const G& g, ConstView v, Real step, View out, Scratch& scratch) {
    { g.value(v, scratch) } -> std::same_as<Real>;
    { g.prox(v, step, out, scratch) } -> std::same_as<Real>;
};

/// A regulariser without working memory: value(x) and prox(v, step, out). It is the simplest form for one of
/// your own; AnyRegulariser accepts both forms. Example: examples/03_own_regulariser.cpp
template <class G>
concept PlainRegulariser = std::copyable<G> && requires(const G& g, ConstView v, Real step, View out) {
    { g.value(v) } -> std::convertible_to<Real>;
    { g.prox(v, step, out) } -> std::convertible_to<Real>;
};

/// Throws ConfigError if g does not suit vectors of length n. Every length is accepted if g does not say.
template <Regulariser G>
void check_dimension(const G& g, Index n) {
    if constexpr (requires { g.check_dimension(n); }) g.check_dimension(n);
}

/// Removes from d the part that is orthogonal to the affine hull of dom g (the projector Pi of the theory).
/// Stationarity gaps do not depend on that part, so certificates are tighter without it. Does nothing if g
/// does not say.
template <Regulariser G>
void project_direction(const G& g, View d) {
    if constexpr (requires { g.project_direction(d); }) g.project_direction(d);
}

/// inf g; 0 if g does not say.
template <Regulariser G>
Real infimum(const G& g) {
    if constexpr (requires { g.infimum(); }) {
        return g.infimum();
    } else {
        return 0;
    }
}

/// Magnitude of the constants in g's prox (a shift, a radius, an offset) for vectors of length n. prox(v) is
/// exact up to a small multiple of the unit roundoff times |v| + prox_scale(n). 0 if g does not say.
template <Regulariser G>
Real prox_scale(const G& g, Index n) {
    if constexpr (requires { g.prox_scale(n); }) {
        return g.prox_scale(n);
    } else {
        return 0;
    }
}

/// Which sums with other regularisers have a known prox, see SumTraits. Nothing is known if g does not say.
template <Regulariser G>
SumTraits sum_traits(const G& g) {
    if constexpr (requires { g.sum_traits(); }) {
        return g.sum_traits();
    } else {
        return {};
    }
}

/// Whether the prox of g + kappa |x - centre|_1 is known: for every separable g, and where g.can_switch() is
/// true.
template <Regulariser G>
bool supports_switching(const G& g) {
    if constexpr (requires { g.can_switch(); }) {
        if (g.can_switch()) return true;
    }
    return sum_traits(g).separable;
}

/// Writes the minimiser z of step g(z) + pull |z - centre|_1 + |v - z|^2 / 2 to `out` and returns g(out);
/// pull = step kappa. Needs supports_switching(g), which Switching checks, and a finite centre as long as v
/// (ConfigError otherwise). `out` may be the same memory as v, but
/// not as the centre.
template <Regulariser G>
Real switching_prox(const G& g, ConstView v, Real step, Real pull, ConstView centre, View out,
                    Scratch& scratch) {
    if (centre.size() != v.size()) {
        throw ConfigError("switching: the centre has " + std::to_string(centre.size()) +
                          " coordinates; it must have " + std::to_string(v.size()) + ", as the argument");
    }
    if constexpr (requires { g.switching_prox(v, step, pull, centre, out, scratch); }) {
        if (!sum_traits(g).separable) return g.switching_prox(v, step, pull, centre, out, scratch);
    }
    // In one variable, to the right of the centre the penalty is the slope pull and to its left -pull: the
    // minimiser is the prox at v - pull if that lies to the right, the one at v + pull if that lies to the
    // left, and else the centre itself. The first is at most the second, so it is a clip.
    Scratch::Frame frame(scratch);
    const View low = frame.take(v.size());
    for (Index i = 0; i < v.size(); ++i) {
        low[i] = v[i] - pull;
        out[i] = v[i] + pull;
    }
    g.prox(low, step, low, scratch);
    g.prox(out, step, out, scratch);
    // In this order std::max and std::min pass a NaN on.
    for (Index i = 0; i < v.size(); ++i) out[i] = std::min(std::max(low[i], centre[i]), out[i]);
    return g.value(out, scratch);
}

/// Makes a PlainRegulariser a Regulariser: it accepts working memory and ignores it. AnyRegulariser uses it
/// for you.
///
/// \code
/// struct Free {
///     Real value(ConstView) const { return 0; }
///     Real prox(ConstView v, Real, View out) const { copy(v, out); return 0; }
/// };
/// static_assert(Regulariser<WithScratch<Free>>);
/// \endcode
template <PlainRegulariser G>
class WithScratch {
  public:
    /// Takes over a plain regulariser.
    explicit WithScratch(G g) : g_(std::move(g)) {}
    Real value(ConstView x, Scratch& /*scratch*/) const { return g_.value(x); }
    Real prox(ConstView v, Real step, View out, Scratch& /*scratch*/) const { return g_.prox(v, step, out); }
    void check_dimension(Index n) const {
        if constexpr (requires { g_.check_dimension(n); }) g_.check_dimension(n);
    }
    void project_direction(View d) const {
        if constexpr (requires { g_.project_direction(d); }) g_.project_direction(d);
    }
    Real infimum() const {
        if constexpr (requires { g_.infimum(); }) {
            return g_.infimum();
        } else {
            return 0;
        }
    }
    SumTraits sum_traits() const {
        if constexpr (requires { g_.sum_traits(); }) {
            return g_.sum_traits();
        } else {
            return {};
        }
    }

  private:
    G g_;
};

/// Holds any regulariser behind one type (type erasure), for whatever is chosen at run time. Every
/// Regulariser and PlainRegulariser converts to it. Copies share one immutable object.
///
/// \code
/// AnyRegulariser g = Simplex();
/// g = parse_regulariser("l1:0.1+box:-1,1");
/// \endcode
class AnyRegulariser {
  public:
    // "Not itself" comes first: asking whether this type is a Regulariser asks for its constructors again.
    // Implicit, so that a regulariser can be given where any is taken.
    /// From a regulariser.
    template <class G>
    requires(!std::same_as<std::remove_cvref_t<G>, AnyRegulariser> && Regulariser<G>)
        AnyRegulariser(G g)  // NOLINT(google-explicit-constructor)
        : self_(std::make_shared<Model<G>>(std::move(g))) {}
    /// From a plain regulariser.
    template <class G>
    requires(!std::same_as<std::remove_cvref_t<G>, AnyRegulariser> && !Regulariser<G> && PlainRegulariser<G>)
        AnyRegulariser(G g)  // NOLINT(google-explicit-constructor)
        : AnyRegulariser(WithScratch<G>(std::move(g))) {}

    Real value(ConstView x, Scratch& scratch) const { return self_->value(x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return self_->prox(v, step, out, scratch);
    }
    void check_dimension(Index n) const { self_->check_dimension(n); }
    void project_direction(View d) const { self_->project_direction(d); }
    Real infimum() const { return self_->infimum(); }
    Real prox_scale(Index n) const { return self_->prox_scale(n); }
    const SumTraits& sum_traits() const { return self_->traits; }
    bool can_switch() const { return self_->can_switch(); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        return self_->switching_prox(v, step, pull, centre, out, scratch);
    }

  private:
    struct Base {
        explicit Base(const SumTraits& known) : traits(known) {}
        virtual ~Base() = default;
        virtual Real value(ConstView x, Scratch& scratch) const = 0;
        virtual Real prox(ConstView v, Real step, View out, Scratch& scratch) const = 0;
        virtual void check_dimension(Index n) const = 0;
        virtual void project_direction(View d) const = 0;
        virtual Real infimum() const = 0;
        virtual Real prox_scale(Index n) const = 0;
        virtual bool can_switch() const = 0;
        virtual Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                                    Scratch& scratch) const = 0;
        SumTraits traits;
    };
    template <class G>
    struct Model final : Base {
        explicit Model(G held) : Base(proxstream::sum_traits(held)), g(std::move(held)) {}
        Real value(ConstView x, Scratch& scratch) const override { return g.value(x, scratch); }
        Real prox(ConstView v, Real step, View out, Scratch& scratch) const override {
            return g.prox(v, step, out, scratch);
        }
        void check_dimension(Index n) const override { proxstream::check_dimension(g, n); }
        void project_direction(View d) const override { proxstream::project_direction(g, d); }
        Real infimum() const override { return proxstream::infimum(g); }
        Real prox_scale(Index n) const override { return proxstream::prox_scale(g, n); }
        bool can_switch() const override { return supports_switching(g); }
        Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                            Scratch& scratch) const override {
            return proxstream::switching_prox(g, v, step, pull, centre, out, scratch);
        }
        G g;
    };
    std::shared_ptr<const Base> self_;
};

static_assert(Regulariser<AnyRegulariser>);

}  // namespace proxstream
