#include "study/ramp_counts.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "offline/measured_point.hpp"
#include "offline/method_table.hpp"
#include "offline/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

namespace proxstream {
namespace {

bool raised(StopFlag stop) {
    return stop != nullptr && *stop;
}

/// A method with a referee that looks at every point.
class Judged {
  public:
    Judged(const OfflineProblem& problem, const std::string& method, Real epsilon, std::uint64_t seed)
        : problem_(problem),
          method_(make_method(method, {.problem = problem, .epsilon = epsilon, .seed = seed})),
          seed_(seed) {}

    StepStatus advance() {
        const StepStatus status = method_->advance(cost_);
        ++steps_;
        const Real residual =
            measure(problem_, method_->point(), 0, {}, seed_, referee_cost_, scratch_).residual;
        square_ = residual * residual;
        return status;
    }
    Real square() const { return square_; }  // |P|^2
    Real samples() const { return static_cast<Real>(cost_.base_samples); }
    std::uint64_t steps() const { return steps_; }
    SampleCount count(Real ratio) const {
        return {.steps = static_cast<Real>(steps_),
                .samples = samples(),
                .calls = static_cast<Real>(cost_.oracle_calls),
                .ratio = ratio};
    }

  private:
    const OfflineProblem& problem_;
    std::unique_ptr<OfflineMethod> method_;
    std::uint64_t seed_;
    Cost cost_, referee_cost_;
    Scratch scratch_;
    std::uint64_t steps_ = 0;
    Real square_ = 0;
};

}  // namespace

OfflineProblem ramp_problem(const std::string& arguments, std::uint64_t seed) {
    Sampler ramp = parse_sampler("ramp" + arguments, seed);
    return make_offline_problem(std::move(ramp.loss), parse_regulariser("zero"), std::move(ramp.start));
}

std::optional<SampleCount> count_until(const OfflineProblem& problem, const std::string& method, Real eps,
                                       RunEnd end, Real most_samples, std::uint64_t seed, StopFlag stop,
                                       const std::function<void(Real)>& on_share) {
    Judged run(problem, method, std::sqrt(eps), seed);
    while (!raised(stop) && run.samples() < most_samples) {
        const StepStatus status = run.advance();
        const bool ended = end == RunEnd::own_test ? status == StepStatus::finished : run.square() <= eps;
        if (ended) return run.count(run.square() / eps);
        if (status != StepStatus::moved) return {};
        on_share(std::min<Real>(1, eps / run.square()));  // along the ramp |P|^2 falls like 1/steps
    }
    return {};
}

std::vector<std::optional<SampleCount>> count_levels(const std::vector<OfflineProblem>& problems,
                                                     const std::string& method,
                                                     const std::vector<Real>& levels, Real most_samples,
                                                     Real most_steps, std::uint64_t seed, StopFlag stop) {
    std::vector<std::optional<SampleCount>> counts(levels.size());
    std::deque<Judged> runs;
    for (const OfflineProblem& problem : problems) runs.emplace_back(problem, method, 0, seed);
    const Judged& first = runs.front();  // all of them spend the same
    std::vector<Real> sums{0};           // over the first points of all runs, of |P|^2
    Index level = 0;
    while (level < levels.size() && !raised(stop) && first.samples() < most_samples &&
           static_cast<Real>(first.steps()) < most_steps) {
        Real sum = sums.back();
        for (Judged& run : runs) {
            if (run.advance() != StepStatus::moved) return counts;
            sum += run.square();
        }
        sums.push_back(sum);
        const Index last = first.steps();
        const Index before = last / 2;
        const Real mean = (sum - sums[before]) / static_cast<Real>((last - before) * runs.size());
        for (; level < levels.size() && mean <= levels[level]; ++level)
            counts[level] = first.count(mean / levels[level]);
    }
    return counts;
}

}  // namespace proxstream
