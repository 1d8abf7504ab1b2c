/// Losses for the tests of OnlineLearner, in every form in which they can be given, and what a run leaves
/// behind.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/proxstream.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace proxstream::front_test {

constexpr Index kDimension = 3;

/// f(x) = sum log(1 + (x_i - c_i)^2) / 2: smooth and not convex.
inline Real track(ConstView target, ConstView x, View gradient) {
    Real total = 0;
    for (Index i = 0; i < x.size(); ++i) {
        const Real r = x[i] - target[i];
        total += std::log1p(r * r) / 2;
        gradient[i] = r / (1 + r * r);
    }
    return total;
}

struct Target {
    std::vector<Real> at = std::vector<Real>(kDimension);
    void serialise(StateArchive& archive) { archive.fixed("at", at); }
};

inline Target target(Round t) {
    Target made;
    for (Index i = 0; i < kDimension; ++i) {
        made.at[i] = 0.4 + 0.3 * std::sin(0.2 * static_cast<Real>(t) + static_cast<Real>(i)) +
                     0.1 * normal({.seed = 5, .round = t, .sample = i});
    }
    return made;
}

struct Boom : std::runtime_error {
    Boom() : std::runtime_error("boom") {}
};

/// Counts calls of the user's code and throws in one of them.
struct Calls {
    std::uint64_t made = 0;
    std::uint64_t throw_at = std::numeric_limits<std::uint64_t>::max();
    void count() {
        if (made++ == throw_at) throw Boom();
    }
};
using SharedCalls = std::shared_ptr<Calls>;

struct TargetFamily {
    using Record = Target;
    SharedCalls calls = std::make_shared<Calls>();

    Index dimension() const { return kDimension; }
    Real value(const Target& record, ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return value_and_gradient(record, x, frame.take(x.size()), scratch);
    }
    Real value_and_gradient(const Target& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        calls->count();
        return track(record.at, x, gradient);
    }
};

inline BatchedLoss<Target> batched(const SharedCalls& calls) {
    return {kDimension,
            [calls](ConstView x, std::span<const Target> records, ConstView weights, View gradient) {
                calls->count();
                std::vector<Real> single(x.size());
                std::fill(gradient.begin(), gradient.end(), 0);
                Real total = 0;
                for (Index k = 0; k < records.size(); ++k) {
                    if (weights[k] == 0) continue;
                    total += weights[k] * track(records[k].at, x, single);
                    for (Index i = 0; i < x.size(); ++i) gradient[i] += weights[k] * single[i];
                }
                return total;
            }};
}

/// A box around 0 without working memory, as users write regularisers.
struct CountingBox {
    SharedCalls calls = std::make_shared<Calls>();
    Real answer = 0;  // of prox beside its point

    Real value(ConstView x) const {
        calls->count();
        for (const Real each : x) {
            if (std::abs(each) > 1) return kInfinity;
        }
        return 0;
    }
    Real prox(ConstView v, Real /*step*/, View out) const {
        calls->count();
        for (Index i = 0; i < v.size(); ++i) out[i] = std::min(std::max(v[i], Real{-1}), Real{1});
        return 0;
    }
    SumTraits sum_traits() const { return {.separable = true}; }
};

/// A certificate without what a clock said.
inline Certificate timeless(Certificate certificate) {
    certificate.summary.seconds = 0;
    for (Certificate& member : certificate.members) member = timeless(member);
    return certificate;
}

/// What has to be equal, bit for bit, in runs that should be.
struct Trace {
    std::vector<Real> figures;
    Certificate certificate;
    std::string settings;

    void add(const OnlineLearner& learner) {
        const RoundReport& report = learner.report();
        figures.insert(figures.end(),
                       {report.loss, report.entry_gap, report.exit_gap, report.tolerance,
                        static_cast<Real>(report.steps), static_cast<Real>(report.cost.record_gradients)});
        figures.insert(figures.end(), learner.decision().begin(), learner.decision().end());
    }
};

}  // namespace proxstream::front_test
