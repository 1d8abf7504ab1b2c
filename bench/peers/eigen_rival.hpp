/// A rival: what a few hours of work with Eigen give, two matrix products a pass. Compiled
/// twice, with the library's own flags and for the very machine it is built on; hence plain pointers only.
#pragma once

#include <cstddef>

namespace proxstream::bench {

/// Rows in row-major order with their targets; losses are summed over them and divided by `divisor`.
struct RivalRows {
    const double* values;
    const double* targets;
    std::size_t rows;
    std::size_t features;
    double divisor;
};

/// Minimise sum r^2 / (2 (1 + r^2)) / divisor + g; g = l1 |x|_1, or the simplex where l1 < 0.
struct RivalTask {
    double l1;
    double reference_step;  // of the gap the exit test looks at
    double tolerance;
    std::size_t most_passes;
};

struct RivalReport {
    double passes;  // two products are one
    double gap;
};

struct EigenRival {
    const char* flags;
    /// The gradient of sum r^2 / (2 divisor); margins is scratch, one a row.
    void (*squared_gradient)(const RivalRows& rows, const double* x, double* margins, double* gradient);
    /// The gradient of the same loss of a perceptron with two hidden layers of tanh and one output; x as
    /// Perceptron has it.
    void (*perceptron_gradient)(const RivalRows& rows, std::size_t hidden, const double* x, double* gradient);
    /// Prox-gradient from x: the step halves until the quadratic bound holds, and never grows in a call; the
    /// first comes from a difference of gradients.
    RivalReport (*prox_gradient)(const RivalRows& rows, const RivalTask& task, double* x);
};

[[gnu::visibility("default")]] const EigenRival& eigen_plain();
[[gnu::visibility("default")]] const EigenRival& eigen_native();

}  // namespace proxstream::bench
