/// Offline minimisation of f(x) + g(x), with f smooth and possibly non-convex: one call, and a measurement of
/// how stationary the result is.
#pragma once

#include "proxstream/loss/row_block.hpp"
#include "proxstream/offline/fit_status.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/regret/certificate.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The problem that fit() minimises: f + g, with f smooth and possibly non-convex. Give exactly one of
/// `function`, `sample` and `loss`. f is then that function, a mean or expectation over samples, or the mean
/// loss over rows of data.
///
/// \code
/// FitProblem problem{.dimension = 1, .regulariser = L1Norm(0.1)};
/// problem.function = [](ConstView x, View gradient) {
///     gradient[0] = x[0] - 1;
///     return std::pow(x[0] - 1, 2) / 2;
/// };
/// const FitResult found = fit(problem);
/// \endcode
/// Example: examples/08_fit.cpp
struct FitProblem {
    Index dimension = 0;  ///< length of x; may be left out for rows, which give it
    /// g, a penalty or a set. For rows it acts on the coefficients only: intercepts and biases are not
    /// penalised.
    AnyRegulariser regulariser = AnyRegulariser(Zero{});

    // Exactly one of these three.

    /// Returns f(x) and overwrites `gradient`.
    std::function<Real(ConstView x, View gradient)> function = {};

    /// For f that is the mean over samples 0 ... samples-1: returns the loss of one sample and overwrites
    /// `gradient`. The result must depend on the sample and x alone.
    std::function<Real(std::uint64_t sample, ConstView x, View gradient)> sample = {};
    std::uint64_t samples = 0;  ///< number of samples of the mean
    /// In place of `samples`: every number is a sample, and f is the expectation over all of them. A pass
    /// then counts as 1000 samples, and the result is measured on an independent batch, with an interval.
    bool expectation = false;

    /// For f that is the mean loss over the rows: the text of a loss, as `proxstream list losses` shows it:
    /// "logistic", "huber:1.5".
    std::string loss = {};
    RowBlock rows = RowBlock{};  ///< the data of `loss`
    bool intercept = true;       ///< linear models only: fit an intercept, which is the last entry of x
};

/// A measurement during a fit, passed to FitOptions::on_progress. One pass evaluates every sample or row
/// once; for a function it is one evaluation.
///
/// \code
/// FitOptions options;
/// options.on_progress = [](const FitProgress& now) { return now.seconds < 10; };  // false stops the fit
/// \endcode
struct FitProgress {
    std::uint64_t iteration = 0;  ///< iterations so far
    Real passes = 0;              ///< passes so far
    double seconds = 0;           ///< seconds so far
    Real objective = 0;           ///< f(x) + g(x)
    Real stationarity_gap = 0;    ///< |P|, the norm of the prox-gradient mapping at the reference step
};

/// Settings of a fit: method, accuracy, budgets and start. The defaults choose a method and stop at a
/// stationarity gap of 1e-6.
///
/// \code
/// const FitOptions options{.method = "spiderboost", .epsilon = 1e-4, .max_passes = 200};
/// const FitResult found = fit(problem, options);
/// \endcode
struct FitOptions {
    /// A method as `proxstream list methods` shows it. "auto" is panoc, or spiderboost for expectations.
    std::string method = "auto";
    /// Target gap: the fit stops at this stationarity gap. With 0 it runs until a budget is used up.
    /// Expectations take about 1/epsilon^2 samples, so use a larger epsilon there.
    Real epsilon = 1e-6;
    Real max_passes = 1000;                                        ///< most passes over the samples or rows
    double max_seconds = std::numeric_limits<double>::infinity();  ///< most seconds
    std::uint64_t max_iterations = std::numeric_limits<std::uint64_t>::max();  ///< most iterations
    std::vector<Real> start = {};  ///< first point; empty: zeros, or a random draw for networks
    std::uint64_t seed = 1;        ///< random seed
    Real step = 0;                 ///< eta, the reference step of the stationarity gap; 0: 1/L
    Real smoothness = 0;           ///< L, a Lipschitz constant of f's gradient; 0: from the data, or measured
    /// Called after every measurement; return false to stop the fit.
    std::function<bool(const FitProgress&)> on_progress = {};
};

/// What was proved of the result of a fit: inequalities F1 to F5 of docs/fitting.md, also as text and JSON.
/// It concerns one point, unlike the certificate of an online run.
///
/// \code
/// const FitReport& certificate = found.certificate;
/// if (!certificate.sound()) std::cerr << certificate.text;
/// \endcode
struct FitReport : CertificateLines {
    std::string text;  ///< the certificate for a terminal
    std::string json;  ///< the certificate as JSON
};

/// The result of a fit: the point found, how stationary it is, what it cost and what was proved.
/// stationarity_gap is measured anew at x after the method has ended. It does not rest on the method's own
/// figures.
///
/// \code
/// const FitResult found = fit(problem, {.epsilon = 1e-8});
/// if (found.converged()) std::cout << found.objective << ", gap " << found.stationarity_gap << '\n';
/// \endcode
struct FitResult {
    FitStatus status = FitStatus::budget_exhausted;  ///< how the fit ended
    std::vector<Real> x;                             ///< the point found
    Real objective = 0;                              ///< f(x) + g(x)
    Real stationarity_gap = 0;                       ///< |P| at x, measured anew after the fit
    Real stationarity_gap_error = 0;  ///< half the width of its interval; 0 unless f is an expectation
    std::uint64_t iterations = 0;     ///< iterations of the method
    Real passes = 0;                  ///< passes of the method; those for measuring are not included
    double seconds = 0;               ///< seconds of the fit
    Real step = 0;                    ///< eta, the reference step used
    Real smoothness = 0;              ///< L, as used
    FitReport certificate;            ///< what was proved

    /// Whether the target gap was reached.
    bool converged() const noexcept { return status == FitStatus::converged; }
};

/// Minimises f + g. Throws ConfigError for a problem or options that cannot be used, and DataError for a row
/// that cannot. An exception of your functions ends the fit and passes through. Example: examples/08_fit.cpp
FitResult fit(FitProblem problem, const FitOptions& options = {});

}  // namespace proxstream
