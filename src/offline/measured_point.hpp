/// How stationary a point is: |P| at the reference step, by f's own gradient where it is known, else by an
/// independent batch with a confidence interval.
#pragma once

#include "proxstream/core/round_report.hpp"

#include "offline/offline_problem.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

struct MeasuredPoint {
    std::vector<Real> x;
    std::uint64_t iteration = 0;
    Real loss = 0;               // f(x), or its estimate
    Real regulariser = 0;        // g(x)
    Real residual = 0;           // |P|
    Real residual_error = 0;     // the interval's half width; 0: exact up to rounding
    Real residual_rounding = 0;  // what that can be
    Real loss_error = 0;
    Index nonzeros = 0;

    Real objective() const { return loss + regulariser; }
    Real residual_low() const { return residual > residual_error ? residual - residual_error : 0; }
    Real residual_high() const { return residual + residual_error; }
};

/// Tests of an expectation.
struct TestOptions {
    Index samples = 16'384;
    Real confidence = 0.95;
};

/// A test of its own number draws samples that no other test and no method draws. Charges what it evaluates.
MeasuredPoint measure(const OfflineProblem& problem, ConstView x, std::uint64_t test,
                      const TestOptions& options, std::uint64_t seed, Cost& cost, Scratch& scratch);
/// The same where f and its gradient at x are known.
MeasuredPoint measure_known(const OfflineProblem& problem, ConstView x, Real value, ConstView gradient,
                            Scratch& scratch);

}  // namespace proxstream
