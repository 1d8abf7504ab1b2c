/// The cost of offline methods on sampler:ramp until a point is stationary enough. Methods use samples; the
/// exact P = grad f (g = 0) measures every point.
#pragma once

#include "studies/study.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct SampleCount {
    Real steps = 0;    // iterations
    Real samples = 0;  // base samples
    Real calls = 0;    // answers of the oracle
    Real ratio = 0;    // |P|^2 / eps at the end, or the mean of |P|^2 over eps
};

struct CountTarget {
    std::string method;
    Real eps = 0;
    bool own_test = false;  // the method's test ends the run; otherwise the first point with |P|^2 <= eps
    Real most_samples = 3e9;
};

/// `arguments` are those of the ramp. Nothing if the run did not end within the samples or was stopped.
std::optional<SampleCount> count_on_ramp(const std::string& arguments, const CountTarget& target, Cell& cell);

struct LevelTarget {
    std::string method;        // it does not know eps
    std::vector<Real> levels;  // of eps, falling
    Index runs = 1;            // side by side
    Real most_samples = 3e9;   // of a run
    Real most_steps = kInfinity;
};

/// A level is reached when the mean of |P|^2 over the later half of the points of all runs is at most that
/// level. Returns one count, that of a run, for each level that is reached within the limits.
std::vector<std::optional<SampleCount>> count_levels(const LevelTarget& target, Cell& cell);

}  // namespace proxstream
