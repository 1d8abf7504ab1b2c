/// Learners on losses that are written as code: for streams made to show one thing.
#pragma once

#include "proxstream/loss/function_family.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/learner.hpp"
#include "regret/regret_meter.hpp"
#include "window/oracle_window.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

using LossFunction = FunctionFamily::Record;
using FunctionLearner = Learner<LossFunction>;
using FunctionMeter = RegretMeter<AnyRegulariser, RecordRing<FunctionFamily>>;

/// Enough for any round that is meant to end.
inline constexpr std::uint64_t kManySteps = 100'000'000;

/// Lines have no curvature; a learner has to claim some.
inline constexpr Real kFlat = 1e-9;

struct FunctionProblem {
    std::string reg = "zero";
    std::vector<Real> start = {0};
    Index window = 1;
    Real step = 1;            // eta
    Real smoothness = kFlat;  // L
};

/// Algorithm 1 with exit tolerance delta/w. A delta above every residual makes it stay where it is.
std::unique_ptr<FunctionLearner> make_smoothed(const FunctionProblem& problem, Real delta,
                                               const ModelRule& model = {});
inline constexpr Real kStay = 1e9;

/// Algorithm 2: the same with gradients from an oracle.
struct NoisySetting {
    AnyOracle oracle;
    std::string oracle_text = {};  // for the record
    EstimatorOptions estimator = {};
    std::uint64_t confirm = 1;
    std::uint64_t max_steps = kManySteps;
    std::uint64_t seed = 1;
};
std::unique_ptr<FunctionLearner> make_noisy(const FunctionProblem& problem, Real delta,
                                            const NoisySetting& setting);

/// Online prox-gradient on the newest loss, its step eta; the window only measures.
std::unique_ptr<FunctionLearner> make_prox_gradient(const FunctionProblem& problem);
/// Residuals of a played sequence for other windows.
FunctionMeter make_meter(const FunctionProblem& problem, const std::vector<Index>& windows);

/// f(x) = slope x on the line.
LossFunction line(Real slope);
/// f(x) = -cos(x - phase) on the line.
LossFunction wave(Real phase);

}  // namespace proxstream
