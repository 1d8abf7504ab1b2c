/// Stochastic learners on losses that are written as code.
#pragma once

#include "proxstream/loss/function_family.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/noisy_smoothed.hpp"
#include "window/callback_oracle.hpp"
#include "window/noisy_oracle.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

using Ring = RecordRing<FunctionFamily>;
using FunctionLearner = AnyLearner;

inline std::unique_ptr<FunctionLearner> make_noisy_learner(AnyOracle oracle,
                                                           const NoisySmoothedOptions& options,
                                                           AnyRegulariser g, const std::vector<Real>& start) {
    return std::make_unique<NoisySmoothed>(
        std::move(g),
        AnyBatch(Ring(FunctionFamily(start.size(), true), CarriedWindow::slots(options.window.length()))),
        start, std::move(oracle), options);
}
inline std::unique_ptr<FunctionLearner> make_noisy_learner(AnyOracle oracle,
                                                           const NoisySmoothedOptions& options,
                                                           const std::string& regulariser,
                                                           const std::vector<Real>& start) {
    return make_noisy_learner(std::move(oracle), options, parse_regulariser(regulariser), start);
}

}  // namespace proxstream
