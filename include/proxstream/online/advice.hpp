/// Advice for learners with sampled gradients: step, tolerance, batch and confirmations, and what follows for
/// updates, samples and regret. Arithmetic on the corrected theorems; rules are named as in docs/theory.md.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace proxstream {

/// What is known of the noise of one sample, in rising order of strength.
enum class NoiseTail : std::uint8_t {
    variance,     ///< its mean square
    subgaussian,  ///< tails no heavier than a normal's, of averages too (bounded samples have them)
    bounded,      ///< never above base_noise
};

/// What advise() is asked: constants of the losses and of their samples, and what is fixed already. Only the
/// smoothness (or a step), the noise and the window are needed. Example: examples/06_sampled_gradients.cpp.
struct AdviceInput {
    Real smoothness = 0;               ///< L; 0 only with a step
    Real mean_squared_smoothness = 0;  ///< of single samples, for spider; 0: L
    Real base_noise = 0;               ///< standard deviation sigma_0 of one sample of one loss's gradient
    Index window = 0;                  ///< w
    Index rows = 0;                    ///< of a record, where samples are rows drawn without replacement
    bool independent = true;           ///< noise across the records
    NoiseTail tail = NoiseTail::variance;  ///< what is known of the noise
    Real oscillation = 0;  ///< what a loss may fall by between entering and leaving the window, on average
    /// Root mean square of |grad f_t - grad f_{t-w}|: the stream's own share of the regret.
    Real variation = 0;
    std::optional<Real> step = {};      ///< eta; absent: 1/(2L)
    std::optional<Real> delta = {};     ///< tolerance; absent: the usual one
    std::optional<Index> batch = {};    ///< samples a record and call; absent: 1, or what delta asks for
    std::optional<Index> confirm = {};  ///< m; absent: 1, or what keeps the selection of estimates in check
};

/// Condition (23) of the paper, delta^2 > 2 sigma^2 / (eta (1 - eta L)), beside the advice. It compares
/// figures of different units: for eta < 2 it asks for too much, for some eta > 2 for too little. Example:
/// examples/06_sampled_gradients.cpp.
struct PaperCondition {
    Real step = 0;     ///< the step of the advice; 1/(2L), where (23) asks for least, if it has none for that
    Real delta = 0;    ///< the delta it asks for
    bool met = false;  ///< by the delta of the advice, at the step of the advice
    bool sound = false;  ///< its delta is enough for rounds to end at its step
};

/// The same exit test reached by recursive differences (G2). A restart draws many samples, the steps between
/// draw few. Example: examples/06_sampled_gradients.cpp.
struct SpiderAdvice {
    Real step = 0;             ///< eta
    Real restart_samples = 0;  ///< B, all records together, as many of each
    Real step_samples = 0;     ///< b, all records together; and q: a restart every so many steps
    Real updates = 0;          ///< bound on those of a round
    Real base_samples = 0;     ///< bound on those of a round
};

/// Settings for a learner with sampled gradients, and what they promise. Updates, estimates and samples are
/// bounds on expected figures a round, over a long run that starts where g is least. With bounded noise the
/// updates are bounded on every run. Infinite: no bound is proved. Example:
/// examples/06_sampled_gradients.cpp.
struct Advice {
    Real step = 0;                       ///< eta
    Real contraction = 0;                ///< c = 1 - eta L/2
    Index batch = 0;                     ///< samples a record and estimate
    Real sigma = 0;                      ///< w times the noise of the window's estimate
    Real smallest_delta = 0;             ///< above it the number of updates is bounded
    Real delta = 0;                      ///< tolerance: rounds end at delta / w
    Real tolerance = 0;                  ///< rho = delta / w
    Index confirm = 1;                   ///< m: estimates that have to pass before a round ends
    Real updates = 0;                    ///< bound on the updates of a round
    std::string_view updates_rule = {};  ///< the theorem behind it
    Real estimates = 0;                  ///< of the window's gradient, confirmations included
    Real fresh_samples = 0;              ///< samples of a round
    Real paper_samples = 0;    ///< the same sigma with the paper's calls, each below sigma/w by itself
    SpiderAdvice spider = {};  ///< by recursive differences
    Real regret = 0;           ///< bound on its expectation a round
    std::string_view regret_rule = {};  ///< the theorem behind it
    PaperCondition paper = {};          ///< the paper's own condition
};

/// Throws ConfigError with every violation; a delta that is given has to be large enough for rounds to end.
Advice advise(const AdviceInput& input);

}  // namespace proxstream
