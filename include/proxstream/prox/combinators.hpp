/// Regularisers made from another one: scaled, translated, restricted to some coordinates, repeated on
/// blocks. Each costs what the inner regulariser costs, plus O(n).
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <utility>
#include <vector>

namespace proxstream {

/// Returns the factor. Throws ConfigError unless it is positive and finite.
Real checked_scale(Real factor);
/// Returns the shift. Throws ConfigError unless it is finite.
std::vector<Real> checked_shift(std::vector<Real> by);
/// Throws ConfigError unless begin < end.
void check_slice(Index begin, Index end);
/// Throws ConfigError unless vectors of length n have the coordinates of the slice.
void check_slice_fits(Index end, Index n);
/// Throws ConfigError unless the shift has length n.
void check_shift_fits(Index shift_size, Index n);

/// The switching prox of g = 0: moves v towards the centre by at most the strength in each coordinate.
void pull_towards(ConstView v, const Pull& pull, View out);

/// A positive multiple of a regulariser: factor g(x). prox(v, step) = prox_g(v, factor step). Text:
/// `scale:2,(l1:0.1)`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = Scaled(2, L2Norm(0.1));
/// \endcode
template <Regulariser G>
class Scaled {
  public:
    /// Throws ConfigError unless the factor is positive and finite.
    Scaled(Real factor, G g) : factor_(checked_scale(factor)), g_(std::move(g)) {}
    Real value(ConstView x, Scratch& scratch) const { return factor_ * g_.value(x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return factor_ * g_.prox(v, factor_ * step, out, scratch);
    }
    void check_dimension(Index n) const { proxstream::check_dimension(g_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    Real infimum() const { return factor_ * proxstream::infimum(g_); }
    Real prox_scale(Index n) const { return proxstream::prox_scale(g_, n); }
    SumTraits sum_traits() const { return traits_when_scaled(proxstream::sum_traits(g_), factor_); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        return factor_ * proxstream::switching_prox(g_, v, factor_ * step, pull, out, scratch);
    }

  private:
    Real factor_;
    G g_;
};

/// A regulariser moved to another centre: g(x - by). prox(v) = by + prox_g(v - by). Text:
/// `shift:by=1;2,(l1:0.1)`.
///
/// \code
/// OnlineOptions options{.dimension = 2};
/// options.regulariser = Translated({1, 2}, L1Norm(0.1));  // sparse differences from (1, 2)
/// \endcode
template <Regulariser G>
class Translated {
  public:
    /// Throws ConfigError unless the shift is finite.
    Translated(std::vector<Real> by, G g) : by_(checked_shift(std::move(by))), g_(std::move(g)) {}
    Real value(ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View moved = frame.take(x.size());
        subtract(x, by_, moved);
        return g_.value(moved, scratch);
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        subtract(v, by_, out);
        const Real value = g_.prox(out, step, out, scratch);
        axpy(1, by_, out);
        return value;
    }
    void check_dimension(Index n) const {
        check_shift_fits(by_.size(), n);
        proxstream::check_dimension(g_, n);
    }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    Real infimum() const { return proxstream::infimum(g_); }
    /// by + prox_g(v - by) rounds at the size of `by`, however small v is.
    Real prox_scale(Index n) const { return norm(by_) + proxstream::prox_scale(g_, n); }
    SumTraits sum_traits() const { return traits_when_translated(proxstream::sum_traits(g_)); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View moved = frame.take(pull.centre.size());
        subtract(pull.centre, by_, moved);
        subtract(v, by_, out);
        const Real value =
            proxstream::switching_prox(g_, out, step, Pull{pull.strength, moved}, out, scratch);
        // What stayed at the centre stays there to the bit: there and back again would round.
        for (Index i = 0; i < out.size(); ++i) out[i] = out[i] == moved[i] ? pull.centre[i] : out[i] + by_[i];
        return value;
    }

  private:
    std::vector<Real> by_;
    G g_;
};

/// A regulariser on the coordinates [begin, end) only; the others are free. It leaves an intercept
/// unpenalised, for example. Text: `slice:0,10,(l1:0.1)`.
///
/// \code
/// OnlineOptions options{.dimension = 11};
/// options.regulariser = Sliced(0, 10, L1Norm(0.1));  // coordinate 10 is the intercept
/// \endcode
template <Regulariser G>
class Sliced {
  public:
    /// Throws ConfigError for an empty slice, or one whose length does not suit g.
    Sliced(Index begin, Index end, G g) : begin_(begin), end_(end), g_(std::move(g)) {
        check_slice(begin, end);
        proxstream::check_dimension(g_, end - begin);
    }
    Real value(ConstView x, Scratch& scratch) const { return g_.value(part(x), scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        if (out.data() != v.data()) {
            copy(v.first(begin_), out.first(begin_));
            copy(v.subspan(end_), out.subspan(end_));
        }
        return g_.prox(part(v), step, part(out), scratch);
    }
    bool can_weigh() const { return supports_weighted_prox(g_); }
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
        if (out.data() != v.data()) {
            copy(v.first(begin_), out.first(begin_));
            copy(v.subspan(end_), out.subspan(end_));
        }
        return proxstream::weighted_prox(g_, part(v), part(steps), part(out), scratch);
    }
    void check_dimension(Index n) const { check_slice_fits(end_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, part(d)); }
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index /*n*/) const { return proxstream::prox_scale(g_, end_ - begin_); }
    SumTraits sum_traits() const { return traits_when_sliced(proxstream::sum_traits(g_)); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        pull_towards(v.first(begin_), pull.part(0, begin_), out.first(begin_));
        pull_towards(v.subspan(end_), pull.part(end_, v.size() - end_), out.subspan(end_));
        return proxstream::switching_prox(g_, part(v), step, pull.part(begin_, end_ - begin_), part(out),
                                          scratch);
    }

  private:
    template <class V>
    V part(V x) const {
        return x.subspan(begin_, end_ - begin_);
    }
    Index begin_;
    Index end_;
    G g_;
};

/// The same regulariser on each of consecutive blocks. For products of simplices use SimplexProduct, which is
/// faster. Text: `blocks:(l2ball:1),size=4`.
///
/// \code
/// OnlineOptions options{.dimension = 12};
/// options.regulariser = Blocks(BlockLayout::uniform(4), L2Ball(1));
/// \endcode
template <Regulariser G>
class Blocks {
  public:
    /// g must suit the size of every block; check_dimension() checks it.
    Blocks(BlockLayout blocks, G g) : blocks_(std::move(blocks)), g_(std::move(g)) {}
    Real value(ConstView x, Scratch& scratch) const {
        Real total = 0;
        blocks_.for_each(x.size(), [&](Index, Index begin, Index size) {
            total += g_.value(x.subspan(begin, size), scratch);
        });
        return total;
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        Real total = 0;
        blocks_.for_each(v.size(), [&](Index, Index begin, Index size) {
            total += g_.prox(v.subspan(begin, size), step, out.subspan(begin, size), scratch);
        });
        return total;
    }
    void check_dimension(Index n) const {
        blocks_.check_dimension(n);
        blocks_.for_each(n, [&](Index, Index, Index size) { proxstream::check_dimension(g_, size); });
    }
    void project_direction(View d) const {
        blocks_.for_each(d.size(), [&](Index, Index begin, Index size) {
            proxstream::project_direction(g_, d.subspan(begin, size));
        });
    }
    /// Every inner infimum is 0 or -infinity, so the number of blocks does not matter.
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index n) const {
        Real total = 0;
        blocks_.for_each(n, [&](Index, Index, Index size) { total += proxstream::prox_scale(g_, size); });
        return total;
    }
    SumTraits sum_traits() const { return traits_in_blocks(proxstream::sum_traits(g_)); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        Real total = 0;
        blocks_.for_each(v.size(), [&](Index, Index begin, Index size) {
            total += proxstream::switching_prox(g_, v.subspan(begin, size), step, pull.part(begin, size),
                                                out.subspan(begin, size), scratch);
        });
        return total;
    }

  private:
    BlockLayout blocks_;
    G g_;
};

}  // namespace proxstream
