/// A price on leaving a centre c: g + kappa |. - c|_1 + (mu/2) |. - c|^2, itself a regulariser.
///
/// The 1-norm (switching penalty) keeps whole coordinates where they are. The square (proximal term) gives
/// every window a unique minimiser near c. By prox_{g+h}(z) = prox_g(z - step s), s a subgradient of h at the
/// result, a stationarity gap |p| of the penalised problem at x and that of g alone differ by at most
/// kappa sqrt(n) + mu (|x - c| + step |p|) (docs/theory.md, (P-mu)).
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace proxstream {

/// What leaving the centre costs.
struct AnchorWeights {
    Real kappa = 0;  // of the 1-norm
    Real mu = 0;     // of half the square
    bool any() const noexcept { return kappa > 0 || mu > 0; }
};

// The parts of Anchored<G> that do not depend on G.

/// Returns kappa, or throws ConfigError naming what is wrong.
Real checked_switching(Real kappa, bool supported);
/// Returns mu, or throws ConfigError unless it is finite and at least 0.
Real checked_proximal(Real mu);
void check_centre_fits(Index centre_size, Index n);
/// kappa |x - centre|_1 + (mu/2) |x - centre|^2.
Real anchor_penalty(const AnchorWeights& weights, ConstView x, ConstView centre);
/// out = v + share (centre - v); `out` may be v.
void move_towards(ConstView v, ConstView centre, Real share, View out);

template <Regulariser G>
class Anchored {
  public:
    /// Starts at the centre 0. Throws ConfigError unless both weights are finite and not negative, and, for
    /// kappa > 0, supports_switching(g).
    Anchored(G g, AnchorWeights weights, Index dimension)
        : g_(std::move(g)),
          weights_{checked_switching(weights.kappa, weights.kappa == 0 || supports_switching(g_)),
                   checked_proximal(weights.mu)},
          centre_(dimension) {}

    /// Moves the centre; as many coordinates as before, all finite. Does not allocate.
    void centre(ConstView at) {
        assert(at.size() == centre_.size());
        std::copy(at.begin(), at.end(), centre_.begin());
    }
    ConstView centre() const noexcept { return centre_; }
    const AnchorWeights& weights() const noexcept { return weights_; }
    const G& unpenalised() const noexcept { return g_; }
    Real penalty(ConstView x) const { return anchor_penalty(weights_, x, centre_); }

    Real value(ConstView x, Scratch& scratch) const {
        const Real inner = g_.value(x, scratch);
        return weights_.any() ? inner + penalty(x) : inner;
    }
    /// With both weights 0 the result is g's prox, bit for bit. Otherwise the square is completed:
    /// prox_{s(g+h)}(v) = prox_{s'(g + kappa|. - c|_1)}((v + s mu c)/(1 + s mu)), s' = s/(1 + s mu).
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        if (!weights_.any()) return g_.prox(v, step, out, scratch);
        Real shorter = step;
        if (weights_.mu > 0) {
            const Real pull = step * weights_.mu;
            shorter = step / (1 + pull);
            move_towards(v, centre_, pull / (1 + pull), out);
            v = out;
        }
        const Real inner =
            weights_.kappa > 0
                ? switching_prox(g_, v, shorter, Pull{shorter * weights_.kappa, centre_}, out, scratch)
                : g_.prox(v, shorter, out, scratch);
        return inner + penalty(out);
    }
    void check_dimension(Index n) const {
        check_centre_fits(centre_.size(), n);
        proxstream::check_dimension(g_, n);
    }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    Real prox_scale(Index n) const { return proxstream::prox_scale(g_, n); }
    /// A lower bound on the infimum, equal to it when g is least at the centre.
    Real infimum() const { return proxstream::infimum(g_); }

  private:
    G g_;
    AnchorWeights weights_;
    std::vector<Real> centre_;
};

}  // namespace proxstream
