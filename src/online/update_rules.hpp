/// The update rules of the first-order baselines, and of those that games are played with.
#pragma once

#include "proxstream/loss/any_batch.hpp"

#include "online/update_rule.hpp"
#include "solve/adam_direction.hpp"

#include <functional>

namespace proxstream {

/// step_t = step / (1 + t / horizon)^power, t counted from 0.
struct StepSchedule {
    Real step = 1;
    Real power = 0;  // 0: constant
    Real horizon = 1;
};

/// Losses of the window that are used again: in each round this many, drawn by the seed.
struct Replay {
    Index steps = 0;
    std::uint64_t seed = 0;
};

/// Online prox-SGD: a step on the newest loss, then `replay.steps` more, each on a loss drawn from the
/// window. With a constant schedule and no replay it is online prox-gradient (w = 1).
RulePointer scheduled_gradient(const StepSchedule& schedule, const Replay& replay = {});

/// Momentum: an exponential average of past gradients.
RulePointer momentum(Index dimension, Real step, Real decay);

/// Adam's direction (bias-corrected), followed by the Euclidean prox, so that every g works.
RulePointer adam(Index dimension, const AdamOptions& options);

/// AdaGrad with a diagonal: each coordinate of the gradient over the root of its squares so far. The prox is
/// Adam's. Replayed losses add squares too.
RulePointer adagrad(Index dimension, Real step, Real floor, const Replay& replay = {});

/// FTRL-Proximal (McMahan et al. 2013): x_{t+1} minimises the sum of all gradients so far, of t g, and of
/// proximal terms with the learning rates rate/(offset + root of the squares of a coordinate's gradients) so
/// far. The first term is centred at x_1, and g counts once a round, as in the losses. For convex losses with
/// bounded gradients on a bounded domain the regret is O(sqrt T) (McMahan 2017); for others nothing is
/// proved. Needs a g that supports_weighted_prox().
RulePointer ftrl_proximal(Index dimension, Real rate, Real offset);

/// The gradient of the mean of all losses so far. Memory and time a round grow with t. `make_chunk` makes an
/// empty batch of kHistoryChunk records.
RulePointer full_history(Real step, std::function<AnyBatch()> make_chunk);
inline constexpr Index kHistoryChunk = 1024;

/// The optimistic gradient with a prox: x_{t+1} = prox(x_t - step (2 g_t - g_{t-1})), with g_1 in place of
/// g_0. For monotone games it converges in the last iterate with step < 1/(2L) (Malitsky, Tam 2020:
/// forward-reflected-backward).
RulePointer optimistic(Index dimension, Real step);

/// Optimistic Adam (Daskalakis, Ilyas, Syrgkanis, Zeng 2018): twice Adam's direction less the previous one,
/// which is 0 at first. The prox is Adam's.
RulePointer optimistic_adam(Index dimension, const AdamOptions& options);

/// Korpelevich's extragradient. An iteration takes two rounds, so that a round costs one gradient. The first
/// moves from the base x to y = prox(x - step g(x)). The second from x again along the gradient at y.
RulePointer extragradient(Index dimension, Real step);

}  // namespace proxstream
