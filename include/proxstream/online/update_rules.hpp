/// The directions of the first-order baselines. Each keeps one generation of its state, so that a refused
/// round can be forgotten.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/online/gradient_learner.hpp"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace proxstream {

/// Online prox-SGD: step_t = step / (1 + t / horizon)^power. power = 0 is online prox-gradient (w = 1).
class ScheduledGradient {
  public:
    ScheduledGradient(Real step, Real power, Real horizon) : step_(step), power_(power), horizon_(horizon) {}

    template <class Record>
    Real direction(const Played<Record>& played, View out) {
        copy(played.gradient, out);
        const Real step = step_ / std::pow(1 + static_cast<Real>(round_) / horizon_, power_);
        ++round_;
        return step;
    }
    void undo() { --round_; }

  private:
    Real step_, power_, horizon_;
    Round round_ = 0;
};

/// Momentum: an exponential average of past gradients, each taken where it was met.
class Momentum {
  public:
    Momentum(Index dimension, Real step, Real decay)
        : step_(step), decay_(decay), mean_(dimension), before_(dimension) {}

    template <class Record>
    Real direction(const Played<Record>& played, View out) {
        advance(played.gradient, out);
        return step_;
    }
    void undo() { mean_.swap(before_); }

  private:
    void advance(ConstView gradient, View out);

    Real step_, decay_;
    std::vector<Real> mean_, before_;
};

/// Adam's direction (bias-corrected), followed by the Euclidean prox with the scalar step.
class Adam {
  public:
    Adam(Index dimension, Real step, Real first_decay, Real second_decay, Real floor)
        : step_(step),
          first_decay_(first_decay),
          second_decay_(second_decay),
          floor_(floor),
          moments_{std::vector<Real>(dimension), std::vector<Real>(dimension)},
          before_(moments_) {}

    template <class Record>
    Real direction(const Played<Record>& played, View out) {
        advance(played.gradient, out);
        return step_;
    }
    void undo() {
        std::swap(moments_, before_);
        --round_;
    }

  private:
    struct Moments {
        std::vector<Real> first, second;
    };
    void advance(ConstView gradient, View out);

    Real step_, first_decay_, second_decay_, floor_;
    Moments moments_, before_;
    Round round_ = 0;
};

/// The gradient of the mean of every loss so far. Memory and time a round grow with t: the price it is there
/// to show.
template <class Batch>
class FullHistory {
  public:
    static constexpr Index kChunk = 1024;

    /// `make_chunk` makes an empty batch of kChunk records.
    FullHistory(Real step, std::function<Batch()> make_chunk)
        : step_(step), make_chunk_(std::move(make_chunk)) {}

    template <class Record>
    Real direction(const Played<Record>& played, View out) {
        if (chunks_.empty() || chunks_.back().size() == kChunk) chunks_.push_back(make_chunk_());
        chunks_.back().push(played.record);
        const Real share = 1 / static_cast<Real>((chunks_.size() - 1) * kChunk + chunks_.back().size());
        Scratch::Frame frame(played.scratch);
        const View part = frame.take(out.size());
        const View weights = frame.take(kChunk);
        fill(weights, share);
        fill(out, 0);
        for (const Batch& chunk : chunks_) {
            chunk.weighted_value_and_gradient(weights.first(chunk.size()), played.point, part,
                                              played.scratch);
            axpy(1, part, out);
            played.cost.record_gradients += chunk.size();
        }
        --played.cost.record_gradients;  // the newest record's gradient was charged before
        ++played.cost.passes;
        return step_;
    }
    void undo() { chunks_.back().drop_newest(); }

  private:
    Real step_;
    std::function<Batch()> make_chunk_;
    std::vector<Batch> chunks_;
};

}  // namespace proxstream
