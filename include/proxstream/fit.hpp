/// Minimises f(x) + g(x) offline, f smooth and possibly non-convex, and measures how stationary the result
/// is.
///
///   ps::FitResult found = ps::fit({.dimension = 2, .function = my_function}, {.epsilon = 1e-8});
///
/// f is a function, a mean over samples, an expectation, or a named loss over rows of data.
#pragma once

#include "proxstream/loss/row_block.hpp"
#include "proxstream/offline/fit_claim.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct FitProblem {
    Index dimension = 0;  // length of x; of rows it follows from them, and may be left out
    /// g. Of rows it acts on the coefficients; intercepts and biases are not penalised.
    AnyRegulariser regulariser = AnyRegulariser(Zero{});

    // Exactly one of these three.

    /// Returns f(x) and writes its gradient.
    std::function<Real(ConstView x, View gradient)> function = {};

    /// f is the mean over samples 0 ... samples-1: returns the loss of one and writes its gradient. The
    /// result must depend on the sample and x alone.
    std::function<Real(std::uint64_t sample, ConstView x, View gradient)> sample = {};
    std::uint64_t samples = 0;
    /// Instead of `samples`: every number is a sample, and f is the expectation over all of them. A pass is
    /// then 1000 samples, and the result is measured on an independent batch, with an interval.
    bool expectation = false;

    /// f is the mean loss over the rows; a loss as `proxstream list losses` shows it: "logistic",
    /// "huber:1.5".
    std::string loss = {};
    RowBlock rows = RowBlock{};
    bool intercept = true;  // linear models only; the last number of x
};

/// A measurement on the way. A pass is one evaluation of every sample or row; of a function, one evaluation.
struct FitProgress {
    std::uint64_t iteration = 0;
    Real passes = 0;
    double seconds = 0;
    Real objective = 0;         // f + g
    Real stationarity_gap = 0;  // norm of the prox-gradient mapping at the reference step
};

struct FitOptions {
    std::string method =
        "auto";  // as `proxstream list methods` shows them; auto: panoc; of expectations spiderboost
    /// Stop at this stationarity gap; 0: run until a budget is used up. Expectations take about 1/epsilon^2
    /// samples: ask for less there.
    Real epsilon = 1e-6;
    Real max_passes = 1000;
    double max_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t max_iterations = std::numeric_limits<std::uint64_t>::max();
    std::vector<Real> start = {};  // empty: zeros; of networks a draw from the seed
    std::uint64_t seed = 1;
    Real step = 0;        // reference step of the stationarity gap; 0: 1/L
    Real smoothness = 0;  // L, the Lipschitz constant of f's gradient; 0: from the data, or measured
    /// Called after every measurement; false stops the fit.
    std::function<bool(const FitProgress&)> on_progress = {};
};

/// What was proved of the result: the claims F1 to F5 (docs/fitting.md), and all of it as text and JSON.
struct FitReport {
    std::vector<FitClaim> claims;
    std::string text;
    std::string json;

    /// No claim fails.
    bool sound() const;
    /// Throws ConfigError if there is no claim of that name.
    const FitClaim& at(std::string_view id) const;
};

struct FitResult {
    FitStatus status = FitStatus::budget_exhausted;
    std::vector<Real> x;
    Real objective = 0;               // f(x) + g(x)
    Real stationarity_gap = 0;        // at x, measured anew after the fit
    Real stationarity_gap_error = 0;  // half width of its interval; 0 unless f is an expectation
    std::uint64_t iterations = 0;
    Real passes = 0;  // of the method; measuring is counted apart
    double seconds = 0;
    Real step = 0;        // the reference step in use
    Real smoothness = 0;  // the L in use
    FitReport certificate;

    bool converged() const noexcept { return status == FitStatus::converged; }
};

/// Throws ConfigError for a problem or options that cannot be used, DataError for a row that cannot. What
/// the functions of the problem throw ends the fit and is passed on.
FitResult fit(FitProblem problem, const FitOptions& options = {});

}  // namespace proxstream
