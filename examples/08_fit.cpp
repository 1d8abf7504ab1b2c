// Offline: a thousand noisy readings of a few unknown phases, F(x, i) = 1 - cos(a_i . x - y_i), smooth and
// not convex, with an L1 penalty. The program only says how to evaluate reading i at x.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <proxstream/core/draw.hpp>
#include <proxstream/fit.hpp>
#include <proxstream/prox/regulariser_table.hpp>

namespace ps = proxstream;

/// Coefficient j of reading i: a function of i and j, so nothing is stored.
double coefficient(std::uint64_t i, std::uint32_t j) {
    return ps::normal({.seed = 1, .round = i, .record = j});
}

double evaluate(std::uint64_t i, ps::ConstView x, ps::View gradient) {
    const double truth = 0.8 * coefficient(i, 0) - 0.5 * coefficient(i, 3);  // two phases of eight
    double phase = -truth - 0.1 * ps::normal({.seed = 2, .round = i});
    for (std::uint32_t j = 0; j < x.size(); ++j) phase += coefficient(i, j) * x[j];
    for (std::uint32_t j = 0; j < x.size(); ++j) gradient[j] = std::sin(phase) * coefficient(i, j);
    return 1 - std::cos(phase);
}

int main() {
    const ps::FitProblem problem{
        .dimension = 8, .regulariser = ps::parse_regulariser("l1:0.02"), .sample = evaluate, .samples = 1000};
    const ps::FitResult exact = ps::fit(problem, {.epsilon = 1e-8});  // panoc, on whole passes
    const ps::FitResult sampled = ps::fit(problem, {.method = "spiderboost", .epsilon = 1e-4});
    std::printf("%s\nspiderboost: F %.6f after %.1f passes; panoc: F %.6f after %.1f\nx =",
                exact.certificate.text.c_str(), sampled.objective, sampled.passes, exact.objective,
                exact.passes);
    for (const double value : exact.x) std::printf(" %.3f", value);
    std::printf("\n");
    const bool agree = std::abs(exact.objective - sampled.objective) < 1e-6;
    return agree && exact.converged() && exact.certificate.sound() ? EXIT_SUCCESS : EXIT_FAILURE;
}
