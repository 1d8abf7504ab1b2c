/// What a learner with sampled gradients should be told, and what follows for updates, base samples and
/// regret. Pure arithmetic on the corrected theorems; the names of the rules (C-i, D-conf, ...) are those of
/// docs/theory.md.
#pragma once

#include "online/noisy_test.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace proxstream {

/// What is known of the noise of one base sample, in rising order of strength.
enum class NoiseTail : std::uint8_t {
    variance,     // its mean square
    subgaussian,  // tails no heavier than a normal's, of averages too (bounded base samples have them)
    bounded,      // never above base_noise
};

struct AdviceInput {
    Real smoothness = 0;               // L; 0 only with a step
    Real mean_squared_smoothness = 0;  // of single samples, for spider; 0: L
    Real base_noise = 0;               // sigma_0 of one sample of one record's gradient
    Index window = 0;                  // w
    Index rows = 0;                    // of a record, where samples are rows drawn without replacement
    bool independent = true;           // noise across the records
    NoiseTail tail = NoiseTail::variance;
    Real swing = 0;  // osc(f): what a loss may fall between entering and leaving the window, on average
    Real variation =
        0;  // root mean square of |grad f_t - grad f_{t-w}|, the stream's own share of the regret
    std::optional<Real> step = {};      // eta; absent: 1/(2L)
    std::optional<Real> delta = {};     // absent: usual_delta()
    std::optional<Index> batch = {};    // samples a record and call; absent: 1, or what delta asks for
    std::optional<Index> confirm = {};  // m; absent: 1, with a variance alone what keeps selection in check
};

/// Condition (23) of the paper, delta^2 > 2 sigma^2 / (eta (1 - eta L)). It compares figures of different
/// units: for eta < 1 it asks for too much, for eta > 1 it may ask for too little.
struct PaperCondition {
    Real step = 0;       // the step of the advice; 1/(2L), where (23) asks for least, if it has none for that
    Real delta = 0;      // the delta it asks for
    bool met = false;    // by the delta of the advice, at the step of the advice
    bool sound = false;  // its delta is at least stopping_delta() at its step
};

/// The same test reached by recursive differences (G2): B samples at a restart, b = q at the steps between.
struct SpiderAdvice {
    Real step = 0;
    Real restart_samples = 0;  // B, all records together, as many of each
    Real step_samples = 0;     // b, all records together; and q: a restart every so many steps
    Real updates = 0;
    Real base_samples = 0;
};

/// Updates, estimates and samples are bounds on expected figures a round, over a long run that starts where g
/// is least; with bounded noise the updates are bounded on every run. Infinite: no bound is proved.
struct Advice {
    Real step = 0;
    Real contraction = 0;
    Index batch = 0;
    Real sigma = 0;
    Real smallest_delta = 0;  // counting_delta() with the confirmations of the advice
    Real delta = 0;
    Real tolerance = 0;  // rho = delta / w
    Index confirm = 1;
    Real updates = 0;
    std::string_view updates_rule = {};
    Real estimates = 0;      // of the window's gradient, confirmations included
    Real fresh_samples = 0;  // base samples
    Real paper_samples = 0;  // the same sigma with calls of S_{sigma/w}, each below sigma/w by itself
    SpiderAdvice spider = {};
    Real regret = 0;  // bound on its expectation a round
    std::string_view regret_rule = {};
    PaperCondition paper = {};
};

/// Throws ConfigError with every violation; a delta that is given has to pass check_condition().
Advice advise(const AdviceInput& input);

}  // namespace proxstream
