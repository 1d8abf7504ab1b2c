/// An exit test on estimated gradients: how large its tolerance must be against the noise for rounds to end.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// What decides whether a round with noise ends: the exit test |P(y; G)| <= delta / w and the noise of G.
struct NoisyTest {
    Real smoothness = 0;   // L
    Real step = 0;         // eta, of test and updates alike
    Real sigma = 0;        // w_a s, E|G - grad S|^2 <= s^2
    Index confirm = 1;     // m, estimates that have to pass at one point
    bool bounded = false;  // |G - grad S| <= s surely

    Real contraction() const { return 1 - step * smoothness / 2; }  // c
};

/// sigma / sqrt(c): at this delta or below the noise alone may keep the test failing for ever (Theorem 4',
/// sharp).
Real stopping_delta(const NoisyTest& test);
/// Above this delta the number of updates has a proved bound: as above; sqrt(m) sigma / c where a stop is
/// confirmed (D-conf); sigma / c for bounded noise, then on every run (Theorem 5').
Real counting_delta(const NoisyTest& test);
/// The default delta, a multiple of sigma; 0 when there is no noise.
Real usual_delta(const NoisyTest& test);

/// Throws ConfigError with every violation: figures that are negative or absurd, eta >= 2/L, and delta at or
/// below stopping_delta(), with the smallest delta that works and, unless the noise is bounded surely, the
/// smallest batch. `batch` is what a record and call average now, drawn without replacement from so many rows
/// (0: with).
void check_condition(const NoisyTest& test, Real delta, Index batch = 1, Index record_rows = 0);

}  // namespace proxstream
