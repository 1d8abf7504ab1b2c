/// Small windows for the tests of oracles, and what many estimates of their gradients amount to.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/window/record_ring.hpp"

#include "loss/linear_family.hpp"
#include "window/callback_oracle.hpp"
#include "window/minibatch_oracle.hpp"
#include "window/noisy_oracle.hpp"
#include "window/oracle_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

using Vector = std::vector<Real>;
using Rows = LinearFamily::Batch;
using Functions = RecordRing<FunctionFamily>;

inline constexpr Index kFeatures = 4;
inline constexpr Round kRound = 9;  // of every estimate by default

struct TestWindow {
    AnyBatch batch;
    Vector weights;
    Vector y;

    OracleView view() const { return {batch, weights}; }
    Vector gradient(const Vector& x) const {
        Scratch scratch;
        Vector out(x.size());
        batch.weighted_value_and_gradient(weights, x, out, scratch);
        return out;
    }
    Vector record_gradient(Index age, const Vector& x) const {
        Scratch scratch;
        Vector out(x.size());
        batch.value_and_gradient(age, x, out, scratch);
        return out;
    }
};

/// Five records of 3 to 6 rows; the middle one does not count.
inline TestWindow rows_window(bool sparse, ScalarFormula formula = ScalarFormula::cauchy) {
    TestWindow window{
        AnyBatch(Rows(LinearFamily({formula, 0.7}, kFeatures, true), 6)), {0.1, 0.4, 0, 0.3, 0.2}, {}};
    for (std::uint32_t record = 0; record < 6; ++record) {
        RowBlock block(sparse);
        for (std::uint32_t row = 0; row < 3 + record % 4; ++row) {
            Vector values;
            std::vector<FeatureIndex> indices;
            for (FeatureIndex i = 0; i < kFeatures; ++i) {
                if (sparse && (i + row) % 3 == 0) continue;
                values.push_back(normal({1, record, row, i, 0}));
                indices.push_back(i);
            }
            const Real target = normal({2, record, row, 0, 0});
            sparse ? block.add_sparse(indices, values, target) : block.add_dense(values, target);
        }
        window.batch.push(block);
    }
    for (std::uint32_t i = 0; i < kFeatures + 1; ++i) window.y.push_back(normal({3, 0, i, 0, 0}));
    return window;
}

/// Functions of three variables, none of them convex.
inline TestWindow functions_window() {
    TestWindow window{AnyBatch(Functions(FunctionFamily(3), 6)), {0.1, 0.4, 0, 0.3, 0.2}, {0.3, -0.8, 0.5}};
    for (int record = 0; record < 6; ++record) {
        const Real a = 0.5 + record;
        const FunctionFamily::Record loss = [a](ConstView x, View gradient) {
            if (!gradient.empty()) {
                gradient[0] = std::sin(x[0] - a) + a * x[1];
                gradient[1] = a * x[0] + x[1];
                gradient[2] = a;
            }
            return -std::cos(x[0] - a) + a * x[0] * x[1] + x[1] * x[1] / 2 + a * x[2];
        };
        window.batch.push(loss);
    }
    return window;
}

/// A sampler whose base samples are record (1 + noise) x, the noise uniform on [-1, 1].
inline AnyOracle callback_oracle(std::uint64_t samples, bool independent) {
    return AnyOracle(CallbackOracle(
        [](Round record, ConstView x, const Draw& draw, Vector& gradient) {
            scaled(static_cast<Real>(record) * 2 * uniform(draw), x, gradient);
        },
        samples, {.base_noise = {}, .bounded = false, .independent = independent}));
}

inline Vector estimate(const AnyOracle& oracle, const TestWindow& window, const Ticket& ticket,
                       Cost* cost = nullptr) {
    Scratch scratch;
    Cost ignored;
    Vector out(window.y.size());
    oracle->estimate(window.view(), {ticket, oracle->samples(), cost != nullptr ? *cost : ignored, scratch},
                     window.y, out);
    return out;
}

inline Vector answer(const AnyOracle& oracle, const TestWindow& window, Index age, const Ticket& ticket,
                     Cost* cost = nullptr) {
    Scratch scratch;
    Cost ignored;
    Vector out(window.y.size());
    oracle->answer(window.batch, age, {ticket, oracle->samples(), cost != nullptr ? *cost : ignored, scratch},
                   window.y, out);
    return out;
}

struct Points {
    const Vector& y;
    const Vector& from;
};

inline Vector difference(const AnyOracle& oracle, const TestWindow& window, const Ticket& ticket,
                         std::uint64_t samples, const Points& at, Cost* cost = nullptr) {
    Scratch scratch;
    Cost ignored;
    Vector out(at.y.size());
    oracle->difference(window.view(), {ticket, samples, cost != nullptr ? *cost : ignored, scratch}, at.y,
                       at.from, out);
    return out;
}

/// What `runs` draws of a vector are around the value they ought to have in the mean.
struct Errors {
    Real bias = 0;         // |mean error|
    Real square = 0;       // mean |error|^2
    Real uncertainty = 0;  // a standard deviation of `bias`
    Real spread = 0;       // and of `square`
    Real largest = 0, smallest = kInfinity;
};

template <class Drawn>
Errors errors(Index runs, const Vector& expected, Drawn&& drawn) {
    Errors result;
    Vector mean(expected.size());
    Vector error(expected.size());
    Real fourth = 0;
    const Real count = static_cast<Real>(runs);
    for (Index run = 0; run < runs; ++run) {
        subtract(drawn(Ticket{7, kRound, static_cast<std::uint32_t>(run)}), expected, error);
        axpy(1 / count, error, mean);
        const Real size = norm(error);
        result.square += size * size / count;
        fourth += size * size * size * size / count;
        result.largest = std::max(result.largest, size);
        result.smallest = std::min(result.smallest, size);
    }
    result.bias = norm(mean);
    result.uncertainty = std::sqrt(result.square / count);
    result.spread = std::sqrt(std::max<Real>(0, fourth - result.square * result.square) / count);
    return result;
}

}  // namespace proxstream
