/// A small non-convex loss that records its evaluations: log(1 + r^2)/2 of r = a_i.x - y_i, the rows
/// made up from their numbers. A sum of n of them, or an expectation: the mean over all numbers.
#pragma once

#include "proxstream/core/draw.hpp"

#include "offline/sampled_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace proxstream::recorded {

using Vector = std::vector<Real>;

struct Call {
    std::vector<SampleId> samples;  // empty: f
    Vector x;
};

inline Real feature(SampleId id, Index j) {
    return normal({.seed = 41, .round = id, .record = 0, .step = 0, .sample = j});
}
inline Real target(SampleId id, Index dimension) {
    Real score = 0.1 * normal({.seed = 42, .round = id});
    for (Index j = 0; j < dimension; j += 2) score += feature(id, j) * (j % 4 == 0 ? 1.0 : -0.5);
    return score;
}

/// A sample's features, and its target last; made once.
inline const Vector& row(SampleId id, Index dimension) {
    static std::map<std::pair<SampleId, Index>, Vector> made;
    Vector& values = made[{id, dimension}];
    if (values.empty()) {
        for (Index j = 0; j < dimension; ++j) values.push_back(feature(id, j));
        values.push_back(target(id, dimension));
    }
    return values;
}

/// One sample's loss and gradient, by the definition.
inline Real one(SampleId id, const Vector& x, Vector& gradient) {
    const Vector& a = row(id, x.size());
    Real gap = -a.back();
    for (Index j = 0; j < x.size(); ++j) gap += a[j] * x[j];
    for (Index j = 0; j < x.size(); ++j) gradient[j] = a[j] * gap / (1 + gap * gap);
    return std::log(1 + gap * gap) / 2;
}

/// The mean gradient over samples, added up one by one.
inline Vector mean_gradient(const std::vector<SampleId>& samples, const Vector& x) {
    Vector total(x.size()), gradient(x.size());
    for (const SampleId id : samples) {
        one(id, x, gradient);
        for (Index j = 0; j < x.size(); ++j) total[j] += gradient[j] / static_cast<Real>(samples.size());
    }
    return total;
}
inline Vector full_gradient(std::uint64_t n, const Vector& x) {
    std::vector<SampleId> all;
    for (SampleId id = 0; id < n; ++id) all.push_back(id);
    return mean_gradient(all, x);
}

class RecordedLoss final : public SampledLoss {
  public:
    RecordedLoss(std::uint64_t components, Index dimension)
        : components_(components), dimension_(dimension) {}

    Index dimension() const override { return dimension_; }
    std::uint64_t components() const override { return components_; }
    Real mean(std::span<const SampleId> samples, ConstView x, View gradient, Scratch&) const override {
        calls.push_back({{samples.begin(), samples.end()}, {x.begin(), x.end()}});
        evaluated += samples.size();
        return evaluate({samples.begin(), samples.end()}, x, gradient);
    }
    Real f(ConstView x, View gradient, Scratch&) const override {
        calls.push_back({{}, {x.begin(), x.end()}});
        evaluated += components_;
        std::vector<SampleId> all;
        for (SampleId id = 0; id < components_; ++id) all.push_back(id);
        return evaluate(all, x, gradient);
    }

    mutable std::vector<Call> calls;
    mutable std::uint64_t evaluated = 0;            // gradients of single samples
    Real broken_beyond = kInfinity;                 // points of a larger norm have no loss
    std::uint64_t broken_from = ~std::uint64_t{0};  // nor do calls from this one on

  private:
    Real evaluate(const std::vector<SampleId>& samples, ConstView x, View gradient) const {
        const Vector point(x.begin(), x.end());
        Vector one_gradient(x.size());
        Real square = 0;
        for (const Real v : point) square += v * v;
        Real value = 0;
        for (const SampleId id : samples) value += one(id, point, one_gradient);
        const Vector mean = mean_gradient(samples, point);
        if (!gradient.empty()) std::copy(mean.begin(), mean.end(), gradient.begin());
        if (std::sqrt(square) > broken_beyond || calls.size() > broken_from)
            return std::numeric_limits<Real>::quiet_NaN();
        return value / static_cast<Real>(samples.size());
    }

    std::uint64_t components_;
    Index dimension_;
};

}  // namespace proxstream::recorded
