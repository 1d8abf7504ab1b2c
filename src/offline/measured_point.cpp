#include "offline/measured_point.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "core/rounding.hpp"
#include "core/student.hpp"
#include "offline/sample_draws.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Groups of the samples of a test. The scatter of the group means estimates the error of the overall mean.
constexpr Index kGroups = 32;

Index samples_a_group(const TestOptions& options) {
    return std::max<Index>(1, options.samples / kGroups);
}

/// Mean value and gradient of a batch that is drawn for this test only, with their errors.
struct BatchMeans {
    Real value = 0;
    Real value_error = 0;
    Real gradient_error = 0;
};

/// The error e of the mean gradient is close to normal, with E|e|^2 the trace t of its covariance. Among
/// normal vectors of that trace |e| is largest, at confidences from 0.79 on, if all of it lies along one
/// direction (Szekely and Bakirov 2003). So Student's quantile times sqrt t is safe for any covariance.
BatchMeans batch_means(const SampledLoss& loss, ConstView x, const TestOptions& options, TestDraw draw,
                       View gradient, Scratch& scratch) {
    const Index each = samples_a_group(options);
    SampleDraws draws(draw.seed, loss.components(), DrawPurpose::test);
    draws.skip(draw.number * each * kGroups);
    Scratch::Frame frame(scratch);
    const View group = frame.take(x.size());
    const View mean_square = frame.take(x.size());
    fill(gradient, 0);
    fill(mean_square, 0);
    Real values = 0;
    Real value_squares = 0;
    // Sums of deviations from the running mean avoid cancellation.
    for (Index i = 0; i < kGroups; ++i) {
        const Real value = loss.mean(draws.draw(each), x, group, scratch);
        const Real share = 1 / static_cast<Real>(i + 1);
        const Real off = value - values;
        values += share * off;
        value_squares += off * (value - values);
        for (Index j = 0; j < x.size(); ++j) {
            const Real deviation = group[j] - gradient[j];
            gradient[j] += share * deviation;
            mean_square[j] += deviation * (group[j] - gradient[j]);
        }
    }
    const Real quantile = student_quantile((1 + options.confidence) / 2, kGroups - 1);
    const Real scale = quantile / std::sqrt(static_cast<Real>(kGroups * (kGroups - 1)));
    return {.value = values,
            .value_error = scale * std::sqrt(value_squares),
            .gradient_error = scale * std::sqrt(sum(mean_square))};
}

}  // namespace

MeasuredPoint measure_known(const OfflineProblem& problem, ConstView x, Real value, ConstView gradient,
                            Scratch& scratch) {
    MeasuredPoint point;
    point.x.assign(x.begin(), x.end());
    point.loss = value;
    point.regulariser = problem.g.value(x, scratch);
    Scratch::Frame frame(scratch);
    point.gap = prox_gradient_step(problem.g, x, gradient, problem.reference_step,
                                   {frame.take(x.size()), frame.take(x.size())}, scratch)
                    .norm;
    // The same bound as in online runs (docs/certificate.md, Rounding).
    const Real curvature = std::max(1 / problem.reference_step, problem.smoothness.mean);
    point.gap_rounding =
        relative_rounding(x.size()) * (curvature * norm(x) + norm(gradient) +
                                       prox_scale(problem.g, x.size()) / problem.reference_step) +
        root_lost_to_underflow(x.size()) * (1 + curvature);
    point.nonzeros =
        static_cast<Index>(std::count_if(x.begin(), x.end(), [](Real each) { return each != 0; }));
    return point;
}

MeasuredPoint measure(const OfflineProblem& problem, ConstView x, const TestOptions& options, TestDraw draw,
                      Cost& cost, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View gradient = frame.take(x.size());
    if (problem.loss->knows_f()) {
        const Real value = problem.loss->f(x, gradient, scratch);
        cost.base_samples += problem.loss->components();
        ++cost.passes;
        return measure_known(problem, x, value, gradient, scratch);
    }
    const BatchMeans means = batch_means(*problem.loss, x, options, draw, gradient, scratch);
    cost.oracle_calls += kGroups;
    cost.base_samples += samples_a_group(options) * kGroups;
    MeasuredPoint point = measure_known(problem, x, means.value, gradient, scratch);
    // The error of P is at most that of the gradient: prox is non-expansive.
    point.gap_error = means.gradient_error;
    point.loss_error = means.value_error;
    return point;
}

}  // namespace proxstream
