/// Algorithm 2 written as plainly as the listing, in its two variants: gradients are sampled, and what exact
/// ones would have shown is measured beside.
#pragma once

#include "regret/naive_run.hpp"

#include <string>

namespace proxstream::naive {

enum class Noise { sphere, gaussian };

struct NoisyPlan {
    Plan plan = {};
    Noise noise = Noise::sphere;
    Real level = 0.02;  // of the noise of one record's sample
    Real fill = 1;      // what sigma is claimed as, in units of the truth
    std::string variant = "fresh";
    std::uint64_t confirm = 1;
    bool claims = true;
    Real confidence = 0.95;
    std::uint64_t seed = 1;  // of the noise; the losses have their own

    bool bounded() const { return noise == Noise::sphere; }
    /// s of a mean over k of w records: errors on a sphere may all agree, independent ones average out.
    Real mean_level(Round k) const {
        const Real records = static_cast<Real>(std::min<Round>(k, plan.w));
        return fill * level * (bounded() ? records : std::sqrt(records)) / static_cast<Real>(plan.w);
    }
};

/// The sampler of one run: the stored samples of Algorithm 2 and its draws.
struct Sampler {
    NoisyPlan rules;
    std::vector<Point> stored = {};  // of f_1, f_2, ..; those that left the window are not used
    std::uint64_t draws = 0;

    Point error(Index n, Round record) {
        Point out(n);
        ++draws;
        for (std::uint32_t j = 0; j < out.size(); ++j) out[j] = normal({rules.seed, record, j, 9, draws});
        const Real scale = rules.noise == Noise::sphere
                               ? rules.level / length(out)
                               : rules.level / std::sqrt(static_cast<Real>(out.size()));
        for (Real& each : out) each *= scale;
        return out;
    }
    void sample(const Played& run, const Point& x, Round record) {
        stored.resize(std::max<std::size_t>(stored.size(), record));
        Point gradient = run.losses[record - 1].gradient(x);
        const Point e = error(x.size(), record);
        for (Index j = 0; j < e.size(); ++j) gradient[j] += e[j];
        stored[record - 1] = gradient;
    }
    void sample_all(const Played& run, const Task& task, const Point& x, RoundReport& report) {
        for (Round s = 1; s <= task.t; ++s) {
            if (task.model[s - 1] == 0) continue;
            sample(run, x, s);
            ++report.cost.oracle_calls;
            report.cost.base_samples += 3;
        }
    }
    Point estimate(const Task& task) const {
        Point sum(task.centre.size());
        for (Round s = 1; s <= task.t; ++s) {
            if (task.model[s - 1] == 0) continue;
            for (Index j = 0; j < sum.size(); ++j) sum[j] += task.model[s - 1] * stored[s - 1][j];
        }
        return sum;
    }
};

/// Steps 2 to 6 of the listing; with confirm m > 1 further estimates at a point that passed.
inline Point solve_noisily(Sampler& sampler, const Played& run, const Task& task, RoundReport& report) {
    const Plan& plan = run.plan;
    const NoisyPlan& rules = sampler.rules;
    Point y = task.centre;
    report.noise_level = rules.claims ? rules.mean_level(task.t) : 0;
    if (rules.variant == "fresh") {
        sampler.sample_all(run, task, y, report);
    } else {
        sampler.sample(run, y, task.t);
    }
    report.status = RoundStatus::solved;
    Point gradient, p;
    const auto look = [&] {
        gradient = sampler.estimate(task);
        p = run.gap(y, gradient, plan.eta);
        report.tested_gap = length(p);
    };
    look();
    report.first_gap = length(p);
    report.first_noise = length(difference(gradient, run.gradient(y, task.model)));
    for (;;) {
        const Real asked = report.steps == 0 ? report.tolerance : report.target_gap;
        bool passed = length(p) <= asked;
        for (std::uint64_t i = 1; passed && i < rules.confirm; ++i) {
            sampler.sample_all(run, task, y, report);
            look();
            passed = length(p) <= asked;
            ++report.confirmations;
            if (!passed) ++report.failed_confirmations;
        }
        if (passed) break;
        if (plan.max_steps && report.steps >= *plan.max_steps) {
            report.status = RoundStatus::budget_exhausted;
            break;
        }
        for (Index j = 0; j < y.size(); ++j) y[j] -= plan.eta * p[j];
        ++report.steps;
        report.smallest_step = report.largest_step = plan.eta;
        report.squared_gaps += length(p) * length(p);
        report.path += plan.eta * length(p);
        sampler.sample_all(run, task, y, report);
        look();
    }
    if (report.steps == 0 && report.status == RoundStatus::solved) report.status = RoundStatus::quiet;
    const Point exact = run.gradient(y, task.model);
    report.exit_gap = length(run.gap(y, exact, plan.eta));
    report.kept_noise = length(difference(gradient, exact));
    return y;
}

inline Played play_noisily(const NoisyPlan& rules) {
    Sampler sampler{.rules = rules};
    Played run = play_by(rules.plan, [&](const Played& now, const Task& task, RoundReport& report) {
        return solve_noisily(sampler, now, task, report);
    });
    NoiseFacts facts;
    facts.oracle = rules.noise == Noise::sphere ? "sphere:1" : "gaussian:1";
    facts.variant = rules.variant;
    facts.confirm = rules.confirm;
    if (rules.claims) facts.sigma = rules.mean_level(rules.plan.w) * run.header.effective_length;
    facts.bounded = rules.bounded();
    facts.origin = "given";
    facts.confidence = rules.confidence;
    run.header.noise = facts;
    return run;
}

/// The same run without a referee: what only exact gradients show is gone.
inline Played without_referee(Played run) {
    run.header.noise->refereed = false;
    for (RoundReport& report : run.reports) {
        for (const auto figure :
             {&RoundReport::entry_gap, &RoundReport::forecast_gap, &RoundReport::exit_gap,
              &RoundReport::variation, &RoundReport::firm_bound, &RoundReport::forecast_change,
              &RoundReport::objective_entry, &RoundReport::objective_exit, &RoundReport::value_change,
              &RoundReport::outgoing_loss, &RoundReport::first_noise, &RoundReport::kept_noise})
            report.*figure = 0;
    }
    return run;
}

}  // namespace proxstream::naive
