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
/// offer check_dimension, project_direction, infimum, prox_scale, sum_traits, weighted_prox, and can_switch
/// with switching_prox. The functions of the same names in this header say what each does, and what holds if
/// it is missing.
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
template <class G>
void check_dimension(const G& g, Index n) {
    if constexpr (requires { g.check_dimension(n); }) g.check_dimension(n);
}

/// Removes from d the part that is orthogonal to the affine hull of dom g (the projector Pi of the theory).
/// Stationarity gaps do not depend on that part, so certificates are tighter without it. Does nothing if g
/// does not say.
template <class G>
void project_direction(const G& g, View d) {
    if constexpr (requires { g.project_direction(d); }) g.project_direction(d);
}

/// inf g; 0 if g does not say.
template <class G>
Real infimum(const G& g) {
    if constexpr (requires { g.infimum(); }) {
        return g.infimum();
    } else {
        return 0;
    }
}

/// Magnitude of the constants in g's prox (a shift, a radius, an offset) for vectors of length n. prox(v) is
/// exact up to a small multiple of the unit roundoff times |v| + prox_scale(n). 0 if g does not say.
template <class G>
Real prox_scale(const G& g, Index n) {
    if constexpr (requires { g.prox_scale(n); }) {
        return g.prox_scale(n);
    } else {
        return 0;
    }
}

/// Which sums with other regularisers have a known prox, see SumTraits. Nothing is known if g does not say.
template <class G>
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

/// A force towards a point, as switching_prox takes it: `strength` times the 1-norm of z - centre is added to
/// what a prox minimises. It keeps coordinates at the centre that would gain little by leaving it.
///
/// \code
/// switching_prox(Simplex(), v, step, Pull{step * kappa, x}, out, scratch);
/// \endcode
struct Pull {
    Real strength = 0;  ///< step kappa
    ConstView centre;   ///< finite, and as long as the argument of the prox

    /// The pull on `size` coordinates from `begin` on.
    Pull part(Index begin, Index size) const { return {strength, centre.subspan(begin, size)}; }
};

/// Writes the minimiser z of step g(z) + strength |z - centre|_1 + |v - z|^2 / 2 to `out` and returns g(out).
/// Needs supports_switching(g), and a centre as long as v (ConfigError otherwise). `out` may be the same
/// memory as v, but not as the centre.
template <Regulariser G>
Real switching_prox(const G& g, ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) {
    const auto& [strength, centre] = pull;
    if (centre.size() != v.size()) {
        throw ConfigError("switching: the centre has " + std::to_string(centre.size()) +
                          " coordinates; it must have " + std::to_string(v.size()) + ", as the argument");
    }
    if constexpr (requires { g.switching_prox(v, step, pull, out, scratch); }) {
        if (!sum_traits(g).separable) return g.switching_prox(v, step, pull, out, scratch);
    }
    // In one variable, to the right of the centre the penalty has the slope `strength`, to its left
    // -strength. The minimiser is the prox at v - strength if that lies to the right, or the one at v +
    // strength if that lies to the left. Else it is the centre. The first is at most the second, so it is a
    // clip.
    Scratch::Frame frame(scratch);
    const View low = frame.take(v.size());
    for (Index i = 0; i < v.size(); ++i) {
        low[i] = v[i] - strength;
        out[i] = v[i] + strength;
    }
    g.prox(low, step, low, scratch);
    g.prox(out, step, out, scratch);
    // In this order std::max and std::min pass a NaN on.
    for (Index i = 0; i < v.size(); ++i) out[i] = std::min(std::max(low[i], centre[i]), out[i]);
    return g.value(out, scratch);
}

/// Whether weighted_prox(g, ...) is known: g has a member of that name (and g.can_weigh(), if there is one,
/// is true), or g only bounds each coordinate.
template <Regulariser G>
bool supports_weighted_prox(const G& g) {
    if constexpr (requires { g.can_weigh(); }) {
        return g.can_weigh();
    } else if constexpr (requires(ConstView v, View out, Scratch & s) { g.weighted_prox(v, v, out, s); }) {
        return true;
    } else {
        return sum_traits(g).interval;
    }
}

/// The prox with a step for each coordinate: writes the minimiser z of g(z) + sum (v_i - z_i)^2 / (2 steps_i)
/// to `out` and returns g(out). Needs supports_weighted_prox(g). `out` may be the same memory as v.
///
/// \code
/// weighted_prox(L1Norm(0.1), v, steps, out, scratch);
/// \endcode
template <Regulariser G>
Real weighted_prox(const G& g, ConstView v, ConstView steps, View out, Scratch& scratch) {
    if constexpr (requires { g.weighted_prox(v, steps, out, scratch); }) {
        return g.weighted_prox(v, steps, out, scratch);
    } else {
        return g.prox(v, 1, out, scratch);  // a projection, whatever the steps
    }
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
    void check_dimension(Index n) const { proxstream::check_dimension(g_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index n) const { return proxstream::prox_scale(g_, n); }
    SumTraits sum_traits() const { return proxstream::sum_traits(g_); }

  private:
    G g_;
};

/// Holds any regulariser behind one type (type erasure), so that it can be chosen at run time. Every
/// Regulariser and PlainRegulariser converts to it. Copies share one immutable object.
///
/// \code
/// AnyRegulariser g = Simplex();
/// g = parse_regulariser("l1:0.1+box:-1,1");
/// \endcode
class AnyRegulariser {
  public:
    // The first test prevents a cycle: Regulariser<AnyRegulariser> checks these constructors. They are
    // implicit, so that functions that take any regulariser accept every one.
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
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        return self_->switching_prox(v, step, pull, out, scratch);
    }
    bool can_weigh() const { return self_->can_weigh(); }
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
        return self_->weighted_prox(v, steps, out, scratch);
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
        virtual Real switching_prox(ConstView v, Real step, const Pull& pull, View out,
                                    Scratch& scratch) const = 0;
        virtual bool can_weigh() const = 0;
        virtual Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const = 0;
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
        Real switching_prox(ConstView v, Real step, const Pull& pull, View out,
                            Scratch& scratch) const override {
            return proxstream::switching_prox(g, v, step, pull, out, scratch);
        }
        bool can_weigh() const override { return supports_weighted_prox(g); }
        Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const override {
            return proxstream::weighted_prox(g, v, steps, out, scratch);
        }
        G g;
    };
    std::shared_ptr<const Base> self_;
};

static_assert(Regulariser<AnyRegulariser>);

}  // namespace proxstream
