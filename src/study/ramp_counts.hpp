/// What offline methods spend until a point is stationary enough, judged by f's own gradient, which no method
/// is told.
#pragma once

#include "proxstream/core/stop_flag.hpp"

#include "offline/offline_problem.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct SampleCount {
    Real steps = 0;    // iterations
    Real samples = 0;  // base samples
    Real calls = 0;    // answers of the oracle, whatever each was averaged from
    Real ratio = 0;    // |P|^2 / eps where it ended, or the mean it was judged by
};

/// sampler:ramp, seen through this seed's samples; g = 0, so that P = grad f. Its sigma_0 is 1.
OfflineProblem ramp_problem(const std::string& arguments, std::uint64_t seed);

enum class RunEnd : std::uint8_t {
    first_passage,  // the first point with |P|^2 <= eps
    own_test,       // the method's own: it is not told |P| either
};

/// Nothing if it was stopped, or no end came in `most_samples`.
std::optional<SampleCount> count_until(const OfflineProblem& problem, const std::string& method, Real eps,
                                       RunEnd end, Real most_samples, std::uint64_t seed, StopFlag stop,
                                       const std::function<void(Real)>& on_share);

/// Runs side by side that are not told eps, one on each problem. They have reached a level when the mean of
/// |P|^2 over the later half of their points is at most that: what a random index drawn from them has in the
/// mean. One count, that of a run, for each of `levels`, which fall; nothing for those that were not reached
/// within the limits, which are a run's.
std::vector<std::optional<SampleCount>> count_levels(const std::vector<OfflineProblem>& problems,
                                                     const std::string& method,
                                                     const std::vector<Real>& levels, Real most_samples,
                                                     Real most_steps, std::uint64_t seed, StopFlag stop);

}  // namespace proxstream
