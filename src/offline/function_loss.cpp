#include "offline/function_loss.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include <cassert>
#include <utility>

namespace proxstream {

FunctionLoss::FunctionLoss(Parts parts) : parts_(std::move(parts)) {
    if (parts_.dimension == 0) throw ConfigError("a loss made of functions needs a dimension of at least 1");
    if (!parts_.sample) throw ConfigError("a loss made of functions needs one that evaluates a sample");
}

Real FunctionLoss::mean(std::span<const SampleId> samples, ConstView x, View gradient,
                        Scratch& scratch) const {
    assert(!samples.empty() && gradient.size() == dimension());
    Scratch::Frame frame(scratch);
    const View one = frame.take(x.size());
    const Real share = 1 / static_cast<Real>(samples.size());
    Real total = 0;
    fill(gradient, 0);
    for (const SampleId sample : samples) {
        total += share * parts_.sample(sample, x, one);
        axpy(share, one, gradient);
    }
    return total;
}

Real FunctionLoss::f(ConstView x, View gradient, Scratch& scratch) const {
    assert(knows_f());
    if (parts_.exact) return parts_.exact(x, gradient);
    Scratch::Frame frame(scratch);
    const View one = frame.take(x.size());
    const Real share = 1 / static_cast<Real>(parts_.components);
    Real total = 0;
    fill(gradient, 0);
    for (SampleId sample = 0; sample < parts_.components; ++sample) {
        total += share * parts_.sample(sample, x, one);
        if (!gradient.empty()) axpy(share, one, gradient);
    }
    return total;
}

}  // namespace proxstream
