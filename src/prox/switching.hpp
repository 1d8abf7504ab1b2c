/// A price on every coordinate that leaves its place: g + kappa |. - centre|_1, itself a regulariser.
///
/// It keeps whole coordinates where they are. By prox_{g+h}(z) = prox_g(z - step s), s a subgradient of h at
/// the result, a residual of the penalised problem differs from that of g alone by at most kappa sqrt(n).
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

// The part of every Switching<G> that does not depend on G.

/// Returns kappa, or throws ConfigError naming what is wrong; `text` is that of the regulariser, if known.
Real checked_switching(Real kappa, bool supported, std::string_view text);
void check_centre_fits(Index centre_size, Index n);
Real l1_distance(ConstView a, ConstView b);  // |a - b|_1

/// Throws ConfigError with the text and the regularisers that are allowed, unless g can carry the penalty.
template <Regulariser G>
void check_switching(const G& g, std::string_view text) {
    checked_switching(0, supports_switching(g), text);
}

template <Regulariser G>
class Switching {
  public:
    /// Starts at the centre 0. Throws ConfigError unless kappa is finite and not negative, and, for kappa >
    /// 0, supports_switching(g).
    Switching(G g, Real kappa, Index dimension)
        : g_(std::move(g)),
          kappa_(checked_switching(kappa, kappa == 0 || supports_switching(g_), {})),
          centre_(dimension) {}

    /// Moves the centre; as many coordinates as before, all finite. Does not allocate.
    void centre(ConstView at) {
        assert(at.size() == centre_.size());
        std::copy(at.begin(), at.end(), centre_.begin());
    }
    ConstView centre() const noexcept { return centre_; }
    Real kappa() const noexcept { return kappa_; }
    const G& unpenalised() const noexcept { return g_; }
    /// kappa |x - centre|_1.
    Real penalty(ConstView x) const { return kappa_ == 0 ? 0 : kappa_ * l1_distance(x, centre_); }

    Real value(ConstView x, Scratch& scratch) const {
        const Real inner = g_.value(x, scratch);
        return kappa_ == 0 ? inner : inner + penalty(x);
    }
    /// With kappa = 0 the very bits of g's prox.
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        if (kappa_ == 0) return g_.prox(v, step, out, scratch);
        const Real inner = switching_prox(g_, v, step, step * kappa_, centre_, out, scratch);
        return inner + penalty(out);
    }
    void check_dimension(Index n) const {
        check_centre_fits(centre_.size(), n);
        proxstream::check_dimension(g_, n);
    }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    /// A lower bound on the infimum, equal to it when g is least at the centre.
    Real infimum() const { return proxstream::infimum(g_); }

  private:
    G g_;
    Real kappa_;
    std::vector<Real> centre_;
};

}  // namespace proxstream
