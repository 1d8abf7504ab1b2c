/// Regularisers made from one other: scaled, translated, on some coordinates only, on each of many blocks.
/// Each costs what its inner regulariser costs plus O(n).
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <utility>
#include <vector>

namespace proxstream {

/// Throw ConfigError for values the combinators below cannot use.
Real checked_scale(Real factor);
std::vector<Real> checked_shift(std::vector<Real> by);
void check_slice(Index begin, Index end);
void check_slice_fits(Index end, Index n);
void check_shift_fits(Index shift_size, Index n);

/// The switching prox of g = 0: v moved towards the centre by at most pull.
void pull_towards(ConstView v, Real pull, ConstView centre, View out);

/// factor g(x), factor > 0; prox(v, step) = prox_g(v, factor step).
template <Regulariser G>
class Scaled {
  public:
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
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        return factor_ * proxstream::switching_prox(g_, v, factor_ * step, pull, centre, out, scratch);
    }

  private:
    Real factor_;
    G g_;
};

/// g(x - by); prox(v) = by + prox_g(v - by).
template <Regulariser G>
class Translated {
  public:
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
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View moved = frame.take(centre.size());
        subtract(centre, by_, moved);
        subtract(v, by_, out);
        const Real value = proxstream::switching_prox(g_, out, step, pull, moved, out, scratch);
        // What stayed at the centre stays there to the bit: there and back again would round.
        for (Index i = 0; i < out.size(); ++i) out[i] = out[i] == moved[i] ? centre[i] : out[i] + by_[i];
        return value;
    }

  private:
    std::vector<Real> by_;
    G g_;
};

/// g on the coordinates [begin, end), nothing on the others: leaves an intercept unpenalised.
template <Regulariser G>
class Sliced {
  public:
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
    void check_dimension(Index n) const { check_slice_fits(end_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, part(d)); }
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index /*n*/) const { return proxstream::prox_scale(g_, end_ - begin_); }
    SumTraits sum_traits() const { return traits_when_sliced(proxstream::sum_traits(g_)); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        pull_towards(v.first(begin_), pull, centre.first(begin_), out.first(begin_));
        pull_towards(v.subspan(end_), pull, centre.subspan(end_), out.subspan(end_));
        return proxstream::switching_prox(g_, part(v), step, pull, part(centre), part(out), scratch);
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

/// The same g on each of consecutive blocks. Products of simplices have their own type, SimplexProduct.
template <Regulariser G>
class Blocks {
  public:
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
    /// Every inner infimum is 0 or -infinity, so their number does not matter.
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index n) const {
        Real total = 0;
        blocks_.for_each(n, [&](Index, Index, Index size) { total += proxstream::prox_scale(g_, size); });
        return total;
    }
    SumTraits sum_traits() const { return traits_in_blocks(proxstream::sum_traits(g_)); }
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        Real total = 0;
        blocks_.for_each(v.size(), [&](Index, Index begin, Index size) {
            total +=
                proxstream::switching_prox(g_, v.subspan(begin, size), step, pull,
                                           centre.subspan(begin, size), out.subspan(begin, size), scratch);
        });
        return total;
    }

  private:
    BlockLayout blocks_;
    G g_;
};

}  // namespace proxstream
