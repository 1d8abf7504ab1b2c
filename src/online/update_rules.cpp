#include "online/update_rules.hpp"

#include "proxstream/core/draw.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

/// Which loss of the window, by age, the i-th replayed step of a round takes.
Index replayed_age(const Replay& replay, Round round, Index i, Index losses) {
    return uniform_below({.seed = replay.seed, .round = round, .record = 0, .step = 0, .sample = i}, losses);
}

class ScheduledGradient final : public CopiedRule<ScheduledGradient> {
  public:
    ScheduledGradient(const StepSchedule& schedule, const Replay& replay)
        : schedule_(schedule), replay_(replay) {}

    void move(Move& move) override {
        const Real step =
            schedule_.step / std::pow(1 + static_cast<Real>(round_) / schedule_.horizon, schedule_.power);
        move.step(step, move.newest_gradient());
        Scratch::Frame frame(move.scratch());
        const View gradient = frame.take(move.point().size());
        for (Index i = 0; i < replay_.steps; ++i) {
            move.gradient(replayed_age(replay_, round_, i, move.losses_in_window()), gradient);
            move.step(step, gradient);
        }
        ++round_;
    }
    void serialise(StateArchive& archive) override { archive.field("round", round_); }

  private:
    StepSchedule schedule_;
    Replay replay_;
    Round round_ = 0;
};

class Momentum final : public CopiedRule<Momentum> {
  public:
    Momentum(Index dimension, Real step, Real decay) : step_(step), decay_(decay), mean_(dimension) {}

    void move(Move& move) override {
        scaled(decay_, mean_, mean_);
        axpy(1 - decay_, move.newest_gradient(), mean_);
        move.step(step_, mean_);
    }
    void serialise(StateArchive& archive) override { archive.fixed("mean", mean_); }

  private:
    Real step_, decay_;
    std::vector<Real> mean_;
};

/// Adam's moments and the direction they give. The step of the prox is the mean of the steps of the
/// coordinates. With the plain step g would weigh more and more as gradients get small.
class AdamState {
  public:
    AdamState(Index dimension, const AdamOptions& options)
        : options_(options), first_(dimension), second_(dimension) {}

    /// Returns the step of the prox.
    Real advance(const Move& move, View direction) {
        Scratch::Frame frame(move.scratch());
        const View gradient = frame.take(direction.size());
        copy(move.newest_gradient(), gradient);
        move.keep_within(gradient);
        return options_.step *
               adam_direction(options_, ++round_, gradient, {first_, second_}, {first_, second_}, direction);
    }
    Real step() const { return options_.step; }
    void serialise(StateArchive& archive) {
        archive.fixed("first", first_);
        archive.fixed("second", second_);
        archive.field("round", round_);
    }

  private:
    AdamOptions options_;
    std::vector<Real> first_, second_;
    Round round_ = 0;
};

class Adam final : public CopiedRule<Adam> {
  public:
    Adam(Index dimension, const AdamOptions& options) : state_(dimension, options) {}

    void move(Move& move) override {
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(move.point().size());
        const Real prox_step = state_.advance(move, direction);
        move.step(state_.step(), direction, prox_step);
    }
    void serialise(StateArchive& archive) override { state_.serialise(archive); }

  private:
    AdamState state_;
};

class OptimisticAdam final : public CopiedRule<OptimisticAdam> {
  public:
    OptimisticAdam(Index dimension, const AdamOptions& options)
        : state_(dimension, options), last_(dimension) {}

    void move(Move& move) override {
        Scratch::Frame frame(move.scratch());
        const View now = frame.take(last_.size());
        const View direction = frame.take(last_.size());
        const Real prox_step = state_.advance(move, now);
        for (Index i = 0; i < now.size(); ++i) direction[i] = 2 * now[i] - last_[i];
        copy(now, last_);
        move.step(state_.step(), direction, prox_step);
    }
    void serialise(StateArchive& archive) override {
        state_.serialise(archive);
        archive.fixed("last", last_);
    }

  private:
    AdamState state_;
    std::vector<Real> last_;  // Adam's direction in the previous round
};

class AdaGrad final : public CopiedRule<AdaGrad> {
  public:
    AdaGrad(Index dimension, Real step, Real floor, const Replay& replay)
        : step_(step), floor_(floor), replay_(replay), squares_(dimension) {}

    void move(Move& move) override {
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(move.point().size());
        copy(move.newest_gradient(), direction);
        for (Index i = 0;; ++i) {
            move.keep_within(direction);
            const Real scale = precondition(direction);
            move.step(step_, direction, scale * step_);
            if (i == replay_.steps) break;
            move.gradient(replayed_age(replay_, round_, i, move.losses_in_window()), direction);
        }
        ++round_;
    }
    void serialise(StateArchive& archive) override {
        archive.fixed("squares", squares_);
        archive.field("round", round_);
    }

  private:
    /// Adds the squares of a gradient, then turns it into a direction. Returns the mean scale, as Adam's.
    Real precondition(View gradient) {
        MeanScale scales;
        for (Index i = 0; i < gradient.size(); ++i) {
            squares_[i] += gradient[i] * gradient[i];
            const Real root = std::sqrt(squares_[i]);
            gradient[i] /= root + floor_;
            scales.add(root, floor_);
        }
        return scales.mean();
    }

    Real step_, floor_;
    Replay replay_;
    std::vector<Real> squares_;
    Round round_ = 0;
};

class FtrlProximal final : public CopiedRule<FtrlProximal> {
  public:
    FtrlProximal(Index dimension, Real rate, Real offset)
        : rate_(rate), offset_(offset), sums_(dimension), squares_(dimension) {}

    void move(Move& move) override {
        Scratch::Frame frame(move.scratch());
        const View target = frame.take(sums_.size());
        const View steps = frame.take(sums_.size());
        const ConstView gradient = move.newest_gradient();
        const ConstView point = move.point();
        const Real first = round_ == 0 ? offset_ : 0;
        const auto rounds = static_cast<Real>(++round_);
        for (Index i = 0; i < sums_.size(); ++i) {
            const Real before = std::sqrt(squares_[i]);
            squares_[i] += gradient[i] * gradient[i];
            const Real root = std::sqrt(squares_[i]);
            sums_[i] += gradient[i] - (first + root - before) / rate_ * point[i];
            const Real step = rate_ / (offset_ + root);
            target[i] = -step * sums_[i];
            steps[i] = rounds * step;
        }
        move.jump_to(target, steps);
    }
    void serialise(StateArchive& archive) override {
        archive.fixed("sums", sums_);
        archive.fixed("squares", squares_);
        archive.field("round", round_);
    }

  private:
    Real rate_, offset_;         // alpha, beta
    std::vector<Real> sums_;     // z: gradients less what the proximal terms pull to
    std::vector<Real> squares_;  // n
    Round round_ = 0;
};

class FullHistory final : public CopiedRule<FullHistory> {
  public:
    FullHistory(Real step, std::function<AnyBatch()> make_chunk)
        : step_(step), make_chunk_(std::move(make_chunk)) {}

    void move(Move& move) override {
        keep_counted();
        if (count_ % kHistoryChunk == 0) chunks_->push_back(make_chunk_());
        chunks_->back().push(move.newest_record());
        ++count_;
        Scratch::Frame frame(move.scratch());
        const View part = frame.take(move.point().size());
        const View mean = frame.take(move.point().size());
        const View weights = frame.take(kHistoryChunk);
        fill(weights, 1 / static_cast<Real>(count_));
        fill(mean, 0);
        for (const AnyBatch& chunk : *chunks_) {
            chunk.weighted_value_and_gradient(weights.first(chunk.size()), move.point(), part,
                                              move.scratch());
            axpy(1, part, mean);
        }
        move.cost.record_gradients += count_;  // that of the newest one a second time
        ++move.cost.passes;
        move.step(step_, mean);
    }
    void serialise(StateArchive& archive) override {
        keep_counted();
        archive.field("count", count_);
        if (archive.reading()) chunks_->clear();
        for (Index first = 0; first < count_; first += kHistoryChunk) {
            if (archive.reading()) chunks_->push_back(make_chunk_());
            AnyBatch& chunk = (*chunks_)[first / kHistoryChunk];
            archive.section("chunk", chunk);
            archive.require(chunk.size() == std::min(count_ - first, kHistoryChunk), "full chunks");
        }
    }

  private:
    /// Drops the records of a round that was undone.
    void keep_counted() {
        while (!chunks_->empty() && (chunks_->size() - 1) * kHistoryChunk + chunks_->back().size() > count_) {
            chunks_->back().drop_newest();
            if (chunks_->back().size() == 0) chunks_->pop_back();
        }
    }

    Real step_;
    std::function<AnyBatch()> make_chunk_;
    // Copies of a rule share the records: a copy differs in how many of them count.
    std::shared_ptr<std::vector<AnyBatch>> chunks_ = std::make_shared<std::vector<AnyBatch>>();
    Index count_ = 0;
};

class Optimistic final : public CopiedRule<Optimistic> {
  public:
    Optimistic(Index dimension, Real step) : step_(step), last_(dimension) {}

    void move(Move& move) override {
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(last_.size());
        const ConstView gradient = move.newest_gradient();
        const ConstView previous = first_ ? gradient : ConstView(last_);
        for (Index i = 0; i < direction.size(); ++i) direction[i] = 2 * gradient[i] - previous[i];
        copy(gradient, last_);
        first_ = false;
        move.step(step_, direction);
    }
    void serialise(StateArchive& archive) override {
        archive.fixed("last", last_);
        archive.field("first", first_);
    }

  private:
    Real step_;
    std::vector<Real> last_;  // the gradient of the previous round
    bool first_ = true;
};

class Extragradient final : public CopiedRule<Extragradient> {
  public:
    Extragradient(Index dimension, Real step) : step_(step), base_(dimension) {}

    void move(Move& move) override {
        if (!ahead_) {
            copy(move.point(), base_);
        } else {
            move.restart_from(base_);
        }
        ahead_ = !ahead_;
        move.step(step_, move.newest_gradient());
    }
    void serialise(StateArchive& archive) override {
        archive.fixed("base", base_);
        archive.field("ahead", ahead_);
    }

  private:
    Real step_;
    std::vector<Real> base_;
    bool ahead_ = false;  // the point played is y
};

}  // namespace

RulePointer scheduled_gradient(const StepSchedule& schedule, const Replay& replay) {
    return std::make_unique<ScheduledGradient>(schedule, replay);
}

RulePointer momentum(Index dimension, Real step, Real decay) {
    return std::make_unique<Momentum>(dimension, step, decay);
}

RulePointer adam(Index dimension, const AdamOptions& options) {
    return std::make_unique<Adam>(dimension, options);
}

RulePointer adagrad(Index dimension, Real step, Real floor, const Replay& replay) {
    return std::make_unique<AdaGrad>(dimension, step, floor, replay);
}

RulePointer ftrl_proximal(Index dimension, Real rate, Real offset) {
    return std::make_unique<FtrlProximal>(dimension, rate, offset);
}

RulePointer full_history(Real step, std::function<AnyBatch()> make_chunk) {
    return std::make_unique<FullHistory>(step, std::move(make_chunk));
}

RulePointer optimistic(Index dimension, Real step) {
    return std::make_unique<Optimistic>(dimension, step);
}

RulePointer optimistic_adam(Index dimension, const AdamOptions& options) {
    return std::make_unique<OptimisticAdam>(dimension, options);
}

RulePointer extragradient(Index dimension, Real step) {
    return std::make_unique<Extragradient>(dimension, step);
}

}  // namespace proxstream
