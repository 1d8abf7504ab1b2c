// Offline: one problem given as code, minimised by two methods, each measured by the same referee.
//
// A thousand noisy readings of a few unknown phases: F(x, i) = 1 - cos(a_i . x - y_i), a loss that is smooth
// and not convex, with an L1 penalty. The library is told how to evaluate reading i at x, and nothing else.
#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "offline/fit.hpp"
#include "offline/function_loss.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace proxstream;

constexpr Index kReadings = 1000;
constexpr Index kPhases = 8;

/// Coefficient j of reading i: a pure function of its place, so nothing has to be stored.
Real coefficient(SampleId i, Index j) {
    return normal({.seed = 1, .round = i, .record = static_cast<std::uint32_t>(j)});
}

Real reading(SampleId i) {
    const Real phase = 0.8 * coefficient(i, 0) - 0.5 * coefficient(i, 3);  // the truth: two of eight
    return phase + 0.1 * normal({.seed = 2, .round = i});
}

/// The loss of reading i at x; its gradient is added up by the library.
Real evaluate(SampleId i, ConstView x, View gradient) {
    Real phase = -reading(i);
    for (Index j = 0; j < kPhases; ++j) phase += coefficient(i, j) * x[j];
    for (Index j = 0; j < kPhases; ++j) gradient[j] = std::sin(phase) * coefficient(i, j);
    return 1 - std::cos(phase);
}

void report(const char* method, const FitResult& result) {
    std::printf("%-12s %s: F %.6f, |P| %.1e after %llu base samples; x = (", method,
                std::string(name(result.status)).c_str(), result.best.objective(), result.best.residual,
                static_cast<unsigned long long>(result.cost.base_samples));
    for (const Real value : result.best.x) std::printf(" %.3f", value);
    std::printf(" )\n");
}

}  // namespace

int main() {
    const auto loss = std::make_shared<FunctionLoss>(
        FunctionLoss::Parts{.dimension = kPhases, .components = kReadings, .sample = evaluate});
    // No L is given: it is measured around the start, and says so.
    const OfflineProblem problem =
        make_offline_problem(loss, parse_regulariser("l1:0.02"), std::vector<Real>(kPhases, 0.0));
    std::printf("L = %.3f (%s)\n", problem.smoothness.mean, problem.smoothness.origin.c_str());

    const FitResult exact = fit(problem, {.method = "panoc", .epsilon = 1e-8});
    report("panoc", exact);
    const FitResult sampled = fit(problem, {.method = "spiderboost", .epsilon = 1e-4, .passes = 200});
    report("spiderboost", sampled);

    // Both end at the same point, and all but two phases are exactly 0.
    const bool agree = std::abs(exact.best.objective() - sampled.best.objective()) < 1e-6;
    return agree && exact.status == FitStatus::converged && sampled.status == FitStatus::converged &&
                   exact.best.nonzeros == 2
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
