#include "proxstream/fit.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/violations.hpp"
#include "loss/loss_table.hpp"
#include "offline/fit_certificate.hpp"
#include "offline/function_loss.hpp"
#include "offline/row_sum.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

void check(const FitProblem& problem, const FitOptions& options) {
    Violations violations;
    const int given = (problem.function ? 1 : 0) + (problem.sample ? 1 : 0) + (problem.loss.empty() ? 0 : 1);
    violations.require(given == 1, "problem: {} of function, sample and loss are given; give exactly one",
                       given == 0 ? "none" : "several");
    violations.require(!problem.loss.empty() || problem.dimension > 0, "dimension = 0: must be at least 1");
    violations.require(!problem.sample || problem.expectation || problem.samples > 0,
                       "samples = 0: must be at least 1, unless expectation is set");
    violations.require(!problem.expectation || (problem.sample && problem.samples == 0),
                       "expectation: it is of the function `sample`, without a number of samples");
    violations.require(problem.loss.empty() || problem.rows.rows() > 0,
                       "rows: there are none; at least one is needed");
    violations.at_least_zero("epsilon", options.epsilon);
    violations.above_zero("max_passes", options.max_passes);
    violations.above_zero("max_seconds", options.max_seconds);
    violations.positive_or_automatic("step", options.step);
    violations.positive_or_automatic("smoothness", options.smoothness);
    const bool ends = options.epsilon > 0 || options.max_passes < kInfinity ||
                      options.max_seconds < kInfinity ||
                      options.max_iterations < FitOptions{}.max_iterations || options.on_progress;
    violations.require(ends,
                       "epsilon = 0: nothing would end this fit; give an epsilon, a budget or on_progress");
    if (options.method != "auto") violations.collect("method", [&] { method_row(options.method); });
    violations.conclude();
}

/// A function is a mean over a single sample, so that one evaluation is a pass.
std::shared_ptr<const SampledLoss> function_loss(const FitProblem& problem) {
    FunctionLoss::Parts parts;
    parts.dimension = problem.dimension;
    parts.components = problem.function ? 1 : problem.samples;
    if (problem.sample) {
        parts.sample = problem.sample;
    } else {
        parts.sample = [function = problem.function](SampleId, ConstView x, View gradient) {
            return function(x, gradient);
        };
    }
    return std::make_shared<FunctionLoss>(std::move(parts));
}

Index features_of(const RowBlock& rows) {
    if (!rows.sparse()) return rows.values(0).size();
    Index features = 0;
    for (const FeatureIndex index : rows.all_indices()) features = std::max<Index>(features, index + 1);
    return features;
}

std::string row_violation(const RowBlock& rows, Index row, const RowFamily& family) {
    if (!all_finite(rows.values(row))) return "a feature is not a finite number";
    const Real target = rows.target(row);
    switch (family.target_kind()) {
        case TargetKind::number:
            if (!std::isfinite(target)) return fmt::format("the target {} is not a finite number", target);
            break;
        case TargetKind::sign:
            if (target != -1 && target != 1) return fmt::format("the target {} is neither -1 nor 1", target);
            break;
        case TargetKind::category:
            if (!(target >= 0 && target < static_cast<Real>(family.classes()) &&
                  target == std::floor(target)))
                return fmt::format("the target {} is not one of 0 ... {}", target, family.classes() - 1);
            break;
        case TargetKind::none:
            break;
    }
    return family.row_problem(rows, row);
}

struct RowLoss {
    std::shared_ptr<const PassFamily> family;
    std::shared_ptr<const RowSum> sum;
};

RowLoss row_loss(FitProblem& problem) {
    const Index features = features_of(problem.rows);
    const RowShape shape{.features = features,
                         .intercept = problem.intercept,
                         .largest = largest_values(problem.rows, features)};
    std::shared_ptr<const PassFamily> family = parse_loss(problem.loss, shape);
    for (Index row = 0; row < problem.rows.rows(); ++row) {
        if (std::string wrong = row_violation(problem.rows, row, *family); !wrong.empty())
            throw DataError({.source = "rows", .line = row + 1, .column = 0, .field = ""}, wrong,
                            "a row that the loss '" + problem.loss + "' can use");
    }
    if (problem.dimension != 0 && problem.dimension != family->dimension())
        throw ConfigError(fmt::format("dimension = {}: the loss '{}' on these rows has {}; leave it out",
                                      problem.dimension, problem.loss, family->dimension()));
    return {family, std::make_shared<RowSum>(family, std::move(problem.rows))};
}

OfflineProblem make_problem(FitProblem given, const FitOptions& options) {
    const ProblemOptions constants{
        .smoothness = options.smoothness, .reference_step = options.step, .seed = options.seed};
    std::vector<Real> start = options.start;
    if (given.loss.empty()) {
        if (start.empty()) start.assign(given.dimension, 0);
        return make_offline_problem(function_loss(given), std::move(given.regulariser), std::move(start),
                                    constants);
    }
    const RowLoss loss = row_loss(given);
    const PassFamily& family = *loss.family;
    if (start.empty()) {
        start.resize(family.dimension());
        family.start(start, options.seed);
    }
    given.regulariser.check_dimension(family.penalised());
    AnyRegulariser g = on_first(std::move(given.regulariser), family.penalised(), family.dimension());
    return make_offline_problem(loss.sum, std::move(g), std::move(start), constants);
}

/// Runs to the end, or until on_progress returns false.
OfflineResult run(const OfflineProblem& problem, const OfflineOptions& wanted, const FitOptions& options) {
    FitRun run(problem, wanted);
    const auto pass = static_cast<Real>(pass_samples(*problem.loss));
    bool stopped = false;
    const auto tell = [&](const TracePoint& point) {
        if (!options.on_progress) return;
        stopped = !options.on_progress({.iteration = point.iteration,
                                        .passes = static_cast<Real>(point.base_samples) / pass,
                                        .seconds = point.seconds,
                                        .objective = point.objective,
                                        .stationarity_gap = point.gap});
    };
    while (run.step(tell) && !stopped) {
    }
    return run.result();
}

}  // namespace

FitResult fit(FitProblem problem, const FitOptions& options) {
    check(problem, options);
    const OfflineProblem made = make_problem(std::move(problem), options);
    const char* usual = made.loss->knows_f() ? "panoc" : "spiderboost";
    OfflineOptions wanted{.method = options.method == "auto" ? usual : options.method,
                          .epsilon = options.epsilon,
                          .passes = options.max_passes,
                          .seconds = options.max_seconds,
                          .iterations = options.max_iterations,
                          .seed = options.seed};
    const FitCertificate certificate =
        certify_fit(made, run(made, wanted, options),
                    {.method = wanted.method,
                     .output = usual_output(wanted.method),
                     .epsilon = options.epsilon,
                     .fixed_length = !(options.max_seconds < std::numeric_limits<double>::infinity())});
    const OfflineResult& ended = certificate.result;
    return {
        .status = certificate.status,
        .x = certificate.point.x,
        .objective = certificate.point.objective(),
        .stationarity_gap = certificate.point.gap,
        .stationarity_gap_error = certificate.point.gap_error,
        .iterations = ended.iterations,
        .passes = static_cast<Real>(ended.cost.base_samples) / static_cast<Real>(pass_samples(*made.loss)),
        .seconds = ended.seconds,
        .step = made.reference_step,
        .smoothness = made.smoothness.mean,
        .certificate = {static_cast<const CertificateLines&>(certificate), to_text(certificate),
                        to_json(certificate)}};
}

}  // namespace proxstream
