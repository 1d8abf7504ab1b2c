/// Update rules that games are played with where plain gradients cycle: they look a step ahead, by what the
/// last gradient was or by going there.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/state_archive.hpp"

#include "solve/adam_direction.hpp"

#include <utility>
#include <vector>

namespace proxstream {

/// The optimistic gradient with a prox: x_{t+1} = prox(x_t - step (2 g_t - g_{t-1})), with g_1 in place of
/// g_0. For monotone games it converges in the last iterate with step < 1/(2L) (Malitsky, Tam 2020:
/// forward-reflected-backward).
class Optimistic {
  public:
    Optimistic(Index dimension, Real step) : step_(step), last_(dimension), before_(dimension) {}

    template <class M>
    void move(M& move) {
        Scratch::Frame frame(move.scratch());
        const View direction = frame.take(last_.size());
        const ConstView gradient = move.newest_gradient();
        last_.swap(before_);
        copy(gradient, last_);
        const ConstView previous = round_ == 0 ? gradient : ConstView(before_);
        for (Index i = 0; i < direction.size(); ++i) direction[i] = 2 * gradient[i] - previous[i];
        ++round_;
        move.step(step_, direction);
    }
    void rollback() {
        last_.swap(before_);
        --round_;
    }
    void serialise(StateArchive& archive) {
        archive.fixed("last", last_);
        archive.fixed("last before", before_);
        archive.field("round", round_);
    }

  private:
    Real step_;
    std::vector<Real> last_, before_;  // gradients
    Round round_ = 0;
};

/// Optimistic Adam (Daskalakis, Ilyas, Syrgkanis, Zeng 2018): twice Adam's direction less the one before,
/// which is 0 at first. The prox is Adam's: its step is the mean of the coordinates' own.
class OptimisticAdam {
  public:
    OptimisticAdam(Index dimension, const AdamOptions& options)
        : options_(options), state_(dimension), before_(dimension) {}

    template <class M>
    void move(M& move) {
        Scratch::Frame frame(move.scratch());
        const View gradient = frame.take(state_.last.size());
        const View direction = frame.take(gradient.size());
        copy(move.newest_gradient(), gradient);
        move.keep_within(gradient);
        std::swap(state_, before_);
        const Real scale = adam_direction(options_, ++round_, gradient, {before_.first, before_.second},
                                          {state_.first, state_.second}, state_.last);
        for (Index i = 0; i < direction.size(); ++i) direction[i] = 2 * state_.last[i] - before_.last[i];
        move.step(options_.step, direction, scale * options_.step);
    }
    void rollback() {
        std::swap(state_, before_);
        --round_;
    }
    void serialise(StateArchive& archive) {
        archive.section("moments", state_);
        archive.section("moments before", before_);
        archive.field("round", round_);
    }

  private:
    struct State {
        explicit State(Index dimension) : first(dimension), second(dimension), last(dimension) {}
        std::vector<Real> first, second;
        std::vector<Real> last;  // Adam's direction

        void serialise(StateArchive& archive) {
            archive.fixed("first", first);
            archive.fixed("second", second);
            archive.fixed("last", last);
        }
    };

    AdamOptions options_;
    State state_, before_;
    Round round_ = 0;
};

/// Korpelevich's extragradient, two rounds an iteration so that a round costs one gradient as everybody's:
/// the first goes from the base x to y = prox(x - step g(x)), the second from x again along the gradient met
/// at y. Every other play is thus a look ahead.
class Extragradient {
  public:
    Extragradient(Index dimension, Real step) : step_(step), base_(dimension), before_(dimension) {}

    template <class M>
    void move(M& move) {
        copy(base_, before_);
        if (!ahead_) {
            copy(move.point(), base_);
        } else {
            move.restart_from(base_);
        }
        ahead_ = !ahead_;
        move.step(step_, move.newest_gradient());
    }
    void rollback() {
        base_.swap(before_);
        ahead_ = !ahead_;
    }
    void serialise(StateArchive& archive) {
        archive.fixed("base", base_);
        archive.fixed("base before", before_);
        archive.field("ahead", ahead_);
    }

  private:
    Real step_;
    std::vector<Real> base_, before_;
    bool ahead_ = false;  // the point played is y
};

}  // namespace proxstream
