/// The memory of a quasi-Newton method: the last moves and what the gap changed by along them (L-BFGS;
/// Nocedal 1980, Liu & Nocedal 1989). A move may be asked for on some of the coordinates only.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/state_archive.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace proxstream {

class CurvaturePairs {
  public:
    /// `memory`: how many pairs are kept, at least one.
    explicit CurvaturePairs(Index memory) : memory_(memory) {}

    /// Makes room, once. Pairs of another dimension are forgotten.
    void prepare(Index dimension) {
        if (moves_.size() == memory_ * dimension) return;
        dimension_ = dimension;
        moves_.assign(memory_ * dimension, 0);
        bends_.assign(memory_ * dimension, 0);
        forget();
    }
    void forget() { count_ = next_ = 0; }

    /// The gap was p at x, and is q at y.
    void add(ConstView x, ConstView p, ConstView y, ConstView q) {
        subtract(y, x, part(moves_, next_));
        subtract(q, p, part(bends_, next_));
        next_ = (next_ + 1) % memory_;
        count_ = std::min(count_ + 1, memory_);
    }

    /// The step that the curvature along the newest pair allows: the shorter one of Barzilai & Borwein
    /// (1988); infinite where nothing bends upwards.
    Real newest_step() const {
        if (count_ == 0) return kInfinity;
        const Index newest = (next_ + memory_ - 1) % memory_;
        const ConstView bend = part(bends_, newest);
        const Real curvature = dot(part(moves_, newest), bend);
        return curvature > 0 ? curvature / squared_norm(bend) : kInfinity;
    }

    /// out = -H gap on the coordinates named, in their order. False: no pair bends upwards there.
    bool newton_move(ConstView mapping, std::span<const Index> named, View out, Scratch& scratch) const {
        const Index n = named.size();
        Scratch::Frame frame(scratch);
        const View moves = frame.take(count_ * n);  // newest first
        const View bends = frame.take(count_ * n);
        const View curvatures = frame.take(count_);
        const View shares = frame.take(count_);
        const auto nth = [n](View all, Index k) { return all.subspan(k * n, n); };
        Index used = 0;
        Real scale = 0;
        for (Index age = 0; age < count_; ++age) {
            const Index pair = (next_ + 2 * memory_ - 1 - age) % memory_;
            const View move = nth(moves, used);
            const View bend = nth(bends, used);
            for (Index i = 0; i < n; ++i) {
                move[i] = moves_[pair * dimension_ + named[i]];
                bend[i] = bends_[pair * dimension_ + named[i]];
            }
            const Real curvature = dot(move, bend);
            const Real bend_squared = squared_norm(bend);
            // Written so that a NaN leaves the pair out as well.
            if (!(curvature > kLeastCosine * std::sqrt(squared_norm(move) * bend_squared))) continue;
            if (used == 0) scale = curvature / bend_squared;
            curvatures[used++] = curvature;
        }
        if (used == 0) return false;
        for (Index i = 0; i < n; ++i) out[i] = -mapping[named[i]];
        for (Index k = 0; k < used; ++k) {
            shares[k] = dot(nth(moves, k), out) / curvatures[k];
            axpy(-shares[k], nth(bends, k), out);
        }
        scaled(scale, out, out);
        for (Index k = used; k-- > 0;) {
            axpy(shares[k] - dot(nth(bends, k), out) / curvatures[k], nth(moves, k), out);
        }
        return true;
    }

    void serialise(StateArchive& archive) {
        archive.agree("memory", memory_);
        archive.fields(Field{"dimension", dimension_}, Field{"moves", moves_}, Field{"bends", bends_});
        archive.field("count", count_, memory_);
        archive.field("next", next_, memory_ - 1);
        if (archive.reading()) {
            archive.require(moves_.size() == memory_ * dimension_ && bends_.size() == moves_.size(),
                            "as many numbers as its pairs have");
        }
    }

  private:
    /// A move and a bend nearly at right angles tell rounding, not curvature.
    static constexpr Real kLeastCosine = 1e-10;

    View part(std::vector<Real>& all, Index i) const { return View(all).subspan(i * dimension_, dimension_); }
    ConstView part(const std::vector<Real>& all, Index i) const {
        return ConstView(all).subspan(i * dimension_, dimension_);
    }

    Index memory_;
    Index dimension_ = 0;
    std::vector<Real> moves_;  // y - x, one after the other
    std::vector<Real> bends_;  // q - p
    Index count_ = 0;
    Index next_ = 0;  // where the next pair goes
};

}  // namespace proxstream
