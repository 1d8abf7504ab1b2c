/// The update rules of the first-order baselines. Each keeps one generation of its state, so that a refused
/// round can be forgotten. Rules that need nothing but the newest gradient take any kind of move: an exact
/// one (gradient_learner.hpp) or one along estimates (sampled_steps.hpp).
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "online/gradient_learner.hpp"
#include "solve/adam_direction.hpp"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace proxstream {

/// step_t = step / (1 + t / horizon)^power, t counted from 0.
struct StepSchedule {
    Real step = 1;
    Real power = 0;  // 0: constant
    Real horizon = 1;

    Real at(Round t) const { return step / std::pow(1 + static_cast<Real>(t) / horizon, power); }
};

/// Losses of the window met again: which one (by age) the i-th replayed step of a round takes.
struct Replay {
    Index steps = 0;
    std::uint64_t seed = 0;

    Index age(Round round, Index i, Index losses) const {
        return uniform_below({.seed = seed, .round = round, .record = 0, .step = 0, .sample = i}, losses);
    }
};

/// Online prox-SGD: a step on the newest loss, then `replay.steps` more, each on a loss drawn from the
/// window. With a constant schedule and no replay it is online prox-gradient (w = 1).
class ScheduledGradient {
  public:
    explicit ScheduledGradient(const StepSchedule& schedule, const Replay& replay = {})
        : schedule_(schedule), replay_(replay) {}

    template <Regulariser G, RecordBatch B>
    void move(Move<G, B>& move) {
        const Real step = schedule_.at(round_);
        move.step(step, move.newest_gradient());
        Scratch::Frame frame(move.scratch());
        const View gradient = frame.take(move.point().size());
        for (Index i = 0; i < replay_.steps; ++i) {
            move.gradient(replay_.age(round_, i, move.losses_in_window()), gradient);
            move.step(step, gradient);
        }
        ++round_;
    }
    void rollback() { --round_; }
    void serialise(StateArchive& archive) { archive.field("round", round_); }

  private:
    StepSchedule schedule_;
    Replay replay_;
    Round round_ = 0;
};

/// Momentum: an exponential average of past gradients, each taken where it was met.
class Momentum {
  public:
    Momentum(Index dimension, Real step, Real decay)
        : step_(step), decay_(decay), mean_(dimension), before_(dimension) {}

    template <class M>
    void move(M& move) {
        mean_.swap(before_);
        scaled(decay_, before_, mean_);
        axpy(1 - decay_, move.newest_gradient(), mean_);
        move.step(step_, mean_);
    }
    void rollback() { mean_.swap(before_); }
    void serialise(StateArchive& archive) {
        archive.fixed("mean", mean_);
        archive.fixed("mean before", before_);
    }

  private:
    Real step_, decay_;
    std::vector<Real> mean_, before_;
};

/// Adam's direction (bias-corrected), followed by the Euclidean prox, so that every g works. Its step is the
/// mean of the coordinates' own: with the bare step g would weigh more and more as gradients get small, or
/// less.
class Adam {
  public:
    using Options = AdamOptions;

    Adam(Index dimension, const Options& options)
        : options_(options),
          moments_{std::vector<Real>(dimension), std::vector<Real>(dimension)},
          before_(moments_) {}

    template <class M>
    void move(M& move) {
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(move.point().size());
        const View gradient = frame.take(direction.size());
        copy(move.newest_gradient(), gradient);
        move.keep_within(gradient);
        const Real scale = advance(gradient, direction);
        move.step(options_.step, direction, scale * options_.step);
    }
    void rollback() {
        std::swap(moments_, before_);
        --round_;
    }
    void serialise(StateArchive& archive) {
        archive.fixed("first", moments_.first);
        archive.fixed("second", moments_.second);
        archive.fixed("first before", before_.first);
        archive.fixed("second before", before_.second);
        archive.field("round", round_);
    }

  private:
    struct Moments {
        std::vector<Real> first, second;
    };
    /// Returns the mean over the coordinates of what a gradient is multiplied by.
    Real advance(ConstView gradient, View out);

    Options options_;
    Moments moments_, before_;
    Round round_ = 0;
};

/// AdaGrad with a diagonal: every coordinate's gradient over the root of the squares it has gathered. The
/// prox that follows is in the Euclidean metric with the mean of the coordinates' steps, as Adam's. Replayed
/// losses gather squares too.
class AdaGrad {
  public:
    struct Options {
        Real step = 0.1;
        Real floor = 1e-8;
    };

    AdaGrad(Index dimension, const Options& options, const Replay& replay = {})
        : options_(options), replay_(replay), squares_(dimension), before_(dimension) {}

    template <class M>
    void move(M& move) {
        before_ = squares_;
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(move.point().size());
        copy(move.newest_gradient(), direction);
        for (Index i = 0;; ++i) {
            move.keep_within(direction);
            const Real scale = precondition(direction);
            move.step(options_.step, direction, scale * options_.step);
            if (i == replay_.steps) break;
            if constexpr (M::kReplays)
                move.gradient(replay_.age(round_, i, move.losses_in_window()), direction);
        }
        ++round_;
    }
    void rollback() {
        squares_.swap(before_);
        --round_;
    }
    void serialise(StateArchive& archive) {
        archive.fixed("squares", squares_);
        archive.fixed("squares before", before_);
        archive.field("round", round_);
    }

  private:
    /// Gathers the squares of a gradient, then turns it into a direction. Returns the mean scale, as Adam's.
    Real precondition(View gradient);

    Options options_;
    Replay replay_;
    std::vector<Real> squares_, before_;
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

    template <Regulariser G, RecordBatch B>
    void move(Move<G, B>& move) {
        if (chunks_.empty() || chunks_.back().size() == kChunk) chunks_.push_back(make_chunk_());
        chunks_.back().push(move.newest_record.template as<typename Batch::Record>());
        const Index count = (chunks_.size() - 1) * kChunk + chunks_.back().size();
        Scratch::Frame frame(move.scratch());
        const View part = frame.take(move.point().size());
        const View mean = frame.take(move.point().size());
        const View weights = frame.take(kChunk);
        fill(weights, 1 / static_cast<Real>(count));
        fill(mean, 0);
        for (const Batch& chunk : chunks_) {
            chunk.weighted_value_and_gradient(weights.first(chunk.size()), move.point(), part,
                                              move.scratch());
            axpy(1, part, mean);
        }
        move.cost.record_gradients += count;  // the newest one's a second time: a pass leaves nothing out
        ++move.cost.passes;
        move.step(step_, mean);
    }
    void rollback() { chunks_.back().drop_newest(); }
    void serialise(StateArchive& archive) {
        Index count = chunks_.size();
        archive.field("chunks", count);
        if (archive.reading()) chunks_.clear();
        for (Index i = 0; i < count; ++i) {
            if (archive.reading()) {
                archive.require(i == 0 || chunks_.back().size() == kChunk, "full chunks");
                chunks_.push_back(make_chunk_());
            }
            archive.section("chunk", chunks_[i]);
        }
    }

  private:
    Real step_;
    std::function<Batch()> make_chunk_;
    std::vector<Batch> chunks_;
};

}  // namespace proxstream
