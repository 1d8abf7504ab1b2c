#include "studies/ramp_counts.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "offline/measured_point.hpp"
#include "offline/method_table.hpp"
#include "offline/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace proxstream {
namespace {

OfflineProblem ramp_problem(const std::string& arguments, std::uint64_t seed) {
    Sampler ramp = parse_sampler("ramp" + arguments, seed);
    return make_offline_problem(std::move(ramp.loss), parse_regulariser("zero"), std::move(ramp.start));
}

/// A method on the ramp with a referee that measures every point.
class MeasuredMethod {
  public:
    MeasuredMethod(OfflineProblem problem, const std::string& method, Real epsilon, std::uint64_t seed)
        : problem_(std::move(problem)),
          method_(make_method(method, {.problem = problem_, .epsilon = epsilon, .seed = seed})),
          seed_(seed) {}

    StepStatus advance() {
        const StepStatus status = method_->advance(cost_);
        ++steps_;
        const Real gap = measure(problem_, method_->point(), {}, {0, seed_}, referee_cost_, scratch_).gap;
        square_ = gap * gap;
        return status;
    }
    Real square() const { return square_; }  // |P|^2
    Real samples() const { return static_cast<Real>(cost_.base_samples); }
    Index steps() const { return steps_; }
    SampleCount count(Real ratio) const {
        return {static_cast<Real>(steps_), samples(), static_cast<Real>(cost_.oracle_calls), ratio};
    }

  private:
    OfflineProblem problem_;
    std::unique_ptr<OfflineMethod> method_;
    std::uint64_t seed_;
    Cost cost_, referee_cost_;
    Scratch scratch_;
    Index steps_ = 0;
    Real square_ = 0;
};

}  // namespace

std::optional<SampleCount> count_on_ramp(const std::string& arguments, const CountTarget& target,
                                         Cell& cell) {
    MeasuredMethod run(ramp_problem(arguments, cell.seed), target.method, std::sqrt(target.eps), cell.seed);
    while (run.samples() < target.most_samples) {
        cell.interrupted = cell.stopped();
        if (cell.interrupted) return {};
        const StepStatus status = run.advance();
        if (target.own_test ? status == StepStatus::finished : run.square() <= target.eps)
            return run.count(run.square() / target.eps);
        if (status != StepStatus::moved) return {};
        cell.share(std::min(target.eps, run.square()), run.square());  // |P|^2 falls like 1/steps
    }
    return {};
}

std::vector<std::optional<SampleCount>> count_levels(const LevelTarget& target, Cell& cell) {
    std::vector<std::optional<SampleCount>> counts(target.levels.size());
    std::deque<MeasuredMethod> runs;
    for (Index i = 0; i < target.runs; ++i)
        runs.emplace_back(ramp_problem("", cell.seed * target.runs + i), target.method, 0, cell.seed);
    const MeasuredMethod& first = runs.front();  // all of them spend the same
    std::vector<Real> sums{0};                   // of |P|^2 over the first points of all runs
    Index level = 0;
    while (level < counts.size() && first.samples() < target.most_samples &&
           static_cast<Real>(first.steps()) < target.most_steps) {
        cell.interrupted = cell.stopped();
        if (cell.interrupted) return counts;
        Real sum = sums.back();
        for (MeasuredMethod& run : runs) {
            if (run.advance() != StepStatus::moved) return counts;
            sum += run.square();
        }
        sums.push_back(sum);
        const Index last = first.steps();
        const Index half = last / 2;
        const Real mean = (sum - sums[half]) / static_cast<Real>((last - half) * runs.size());
        for (; level < counts.size() && mean <= target.levels[level]; ++level)
            counts[level] = first.count(mean / target.levels[level]);
    }
    return counts;
}

}  // namespace proxstream
