/// Other people's solvers on our problems. Each is compiled in where its library was found; elsewhere it says
/// so.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream::bench {

/// Dense rows, one behind the other, with their targets.
struct PeerData {
    const std::vector<double>& values;
    const std::vector<double>& targets;
    std::size_t features;
    std::size_t rows() const { return targets.size(); }
};

struct PeerRun {
    double seconds = 0;    // of solving alone
    double objective = 0;  // where it ended, mean loss + g
    std::string name = {};
};

/// The value at x; the gradient is written.
using PeerObjective = std::function<double(const double* x, double* gradient)>;

/// L-BFGS from 0 until the objective is no more than `target`. Nothing: built without NLopt.
std::optional<PeerRun> nlopt_lbfgs(std::size_t dimension, const PeerObjective& f, double target);

/// Mean log(1 + r^2) / 2 by Ceres' Levenberg-Marquardt from 0, until no more than `target`.
std::optional<PeerRun> ceres_cauchy(const PeerData& data, double target);

/// Mean log(1 + exp(-y a.x)) + l1 |x|_1 by LIBLINEAR, its own test at `epsilon`.
std::optional<PeerRun> liblinear_l1(const PeerData& data, double l1, double epsilon);

}  // namespace proxstream::bench
