/// The stationarity gap |P| of a point at the reference step, from f's own gradient if it is known, else from
/// an independent batch with a confidence interval.
#pragma once

#include "proxstream/core/round_report.hpp"

#include "offline/offline_problem.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

struct MeasuredPoint {
    std::vector<Real> x;
    std::uint64_t iteration = 0;
    Real loss = 0;          // f(x), or its estimate
    Real regulariser = 0;   // g(x)
    Real gap = 0;           // |P|
    Real gap_error = 0;     // the interval's half width; 0: exact up to rounding
    Real gap_rounding = 0;  // what that can be
    Real loss_error = 0;
    Index nonzeros = 0;

    Real objective() const { return loss + regulariser; }
    Real gap_low() const { return gap > gap_error ? gap - gap_error : 0; }
    Real gap_high() const { return gap + gap_error; }
};

/// Tests of an expectation.
struct TestOptions {
    Index samples = 16'384;
    Real confidence = 0.95;
};

/// Names the samples of one test. Tests with different numbers share no sample, with each other or with a
/// method.
struct TestDraw {
    std::uint64_t number = 0;
    std::uint64_t seed = 1;
};

/// Charges what it evaluates.
MeasuredPoint measure(const OfflineProblem& problem, ConstView x, const TestOptions& options, TestDraw draw,
                      Cost& cost, Scratch& scratch);
/// The same if f and its gradient at x are known.
MeasuredPoint measure_known(const OfflineProblem& problem, ConstView x, Real value, ConstView gradient,
                            Scratch& scratch);

}  // namespace proxstream
