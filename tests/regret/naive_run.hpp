/// A time-smoothed learner written as plainly as the formulas, so that certificates can be checked against
/// something that shares no code with the library's learners. Small dimensions only.
#pragma once

#include "regret/naive_window.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace proxstream::naive {

/// What a round starts from and solves.
struct Task {
    const Window& model;
    const Point& centre;
    Round t;

    Point tested(const Played& run, const Point& y) const {
        return run.gap(y, run.gradient(y, model), run.plan.eta, run.plan.kappa, centre);
    }
    /// Psi_t with the penalty.
    Real objective(const Played& run, const Point& y) const {
        return run.value(y, model) + run.g(y) + run.plan.kappa * length_one(difference(y, centre));
    }
};

/// One update from x; returns the point and books what it proves.
inline Point update(const Played& run, const Task& task, const Point& x, Real& step, RoundReport& report) {
    const Plan& plan = run.plan;
    const Point gradient = run.gradient(x, task.model);
    const auto try_step = [&](Real e) {
        Point p = run.gap(x, gradient, e, plan.kappa, task.centre), y = x;
        for (Index j = 0; j < y.size(); ++j) y[j] -= e * p[j];
        return std::pair{y, p};
    };
    Point y, p;
    std::tie(y, p) = try_step(step);
    if (plan.rule == StepRule::backtracking) {
        const auto bound = [&] {
            Real linear = 0;
            for (Index j = 0; j < y.size(); ++j) linear += gradient[j] * (y[j] - x[j]);
            return run.value(x, task.model) + linear + plan.lambda * step / 2 * length(p) * length(p);
        };
        while (run.value(y, task.model) > bound()) {
            step /= 2;
            std::tie(y, p) = try_step(step);
        }
    }
    report.smallest_step = report.steps == 0 ? step : std::min(report.smallest_step, step);
    report.largest_step = std::max(report.largest_step, step);
    report.squared_gaps += length(p) * length(p);
    const Real gain = plan.rule == StepRule::fixed ? run.header.fixed_gain() : step * (1 - plan.lambda / 2);
    report.certified_decrease += gain * length(p) * length(p);
    report.path += length(difference(y, x));
    ++report.steps;
    return y;
}

/// Updates without a proof: along the gradient of one loss of the model. Kept if the objective did not rise.
inline Point cheap_updates(const Played& run, const Task& task, const Point& x, RoundReport& report) {
    Point y = x;
    for (int i = 0; i < run.plan.cheap; ++i) {
        const Point wrong = run.losses[task.t - 1].gradient(y);
        Point d = run.gradient(y, task.model);
        for (Index j = 0; j < d.size(); ++j) d[j] = 0.9 * d[j] + 0.1 * wrong[j];
        const Point p = run.gap(y, d, run.plan.eta / 2, run.plan.kappa, task.centre);
        Point next = y;
        for (Index j = 0; j < y.size(); ++j) next[j] -= run.plan.eta / 2 * p[j];
        ++report.cheap_steps;
        if (task.objective(run, next) > task.objective(run, y)) break;
        report.path += length(difference(next, y));
        y = next;
    }
    ++report.confirmations;
    return y;
}

inline Point solve(const Played& run, const Task& task, RoundReport& report) {
    const Plan& plan = run.plan;
    Point y = task.centre;
    report.tested_gap = report.exit_gap = report.forecast_gap;
    report.status = RoundStatus::quiet;
    if (report.forecast_gap <= report.tolerance) return y;
    report.status = RoundStatus::solved;
    if (plan.jump && run.points.size() > 4) {
        const Point& older = run.points[run.points.size() - 4];
        if (task.objective(run, older) < task.objective(run, y)) y = older;
        report.jump = length(difference(y, task.centre));
    }
    Real step = plan.rule == StepRule::backtracking ? plan.first_step * plan.eta : plan.eta;
    for (;;) {
        if (plan.cheap > 0) y = cheap_updates(run, task, y, report);
        report.tested_gap = length(task.tested(run, y));
        if (report.tested_gap <= report.target_gap) break;
        if (plan.cheap > 0) ++report.failed_confirmations;
        if (plan.max_steps && report.steps >= *plan.max_steps) {
            report.status = RoundStatus::budget_exhausted;
            break;
        }
        y = update(run, task, y, step, report);
    }
    report.exit_gap = length(run.gap(y, run.gradient(y, task.model), plan.eta));
    return y;
}

inline Loss draw_loss(const Plan& plan, Round number) {
    Loss loss;
    loss.curvature = plan.curvature;
    for (std::uint32_t j = 0; j < plan.n; ++j) {
        const Real height = plan.silent_losses ? 0 : 1 + uniform({plan.seed, number, j, 0, 0}) / 2;
        loss.height.push_back(height);
        loss.shift.push_back(0.02 * static_cast<Real>(number) + uniform({plan.seed, number, j, 1, 0}));
    }
    return loss;
}

inline RunHeader header_of(const Played& run, const Point& x) {
    const Plan& plan = run.plan;
    const std::vector<Real> a = run.reference_weights();
    RunHeader header;
    header.settings = {{"learner", "naive"}, {"text", "quotes \" and \\ and \n and \xc3\xa9"}};
    header.dimension = plan.n;
    header.window = a.size();
    header.window_text = plan.weights.empty() ? std::to_string(plan.w) : "weights:some";
    header.effective_length = plan.weights.empty() ? static_cast<Real>(plan.w) : effective_length(a);
    header.model = plan.model == Model::previous ? "previous" : "another";
    header.hysteresis = plan.theta;
    header.switching = plan.kappa;
    header.reference_step = plan.eta;
    header.smoothness = plan.smoothness;
    header.step_rule = plan.rule;
    header.acceptance = plan.lambda;
    header.initial_gap = length(run.gap(x, Point(plan.n), plan.eta));
    header.initial_objective = run.g(x);
    header.exit_test = true;
    header.max_steps = plan.max_steps;
    header.other_windows = plan.also;
    return header;
}

/// Everything of round t but what solving adds; the newest loss is already in `run`.
inline RoundReport enter(const Played& run, const Point& x, Round number, const Window& solved) {
    const Plan& plan = run.plan;
    const Round t = run.losses.size();
    const Window& model = run.models.back();
    const Window judge = Played::window(run.reference_weights(), t);
    const Point before = run.gradient(x, model), now = run.gradient(x, judge), next = run.gradient(x, solved);
    const Point v = difference(now, before);
    Point half = run.gap(x, before, plan.eta);
    for (Index j = 0; j < plan.n; ++j) half[j] += v[j] / 2;
    const Real scale = plan.varied_delta ? 1 + 0.5 * std::sin(static_cast<Real>(number)) : 1;
    RoundReport report;
    report.round = number;
    report.tolerance = plan.delta * scale / run.header.effective_length;
    report.target_gap = plan.theta * report.tolerance;
    report.entry_gap = length(run.gap(x, now, plan.eta));
    report.forecast_gap = length(run.gap(x, next, plan.eta));
    report.variation = length(v) * run.header.effective_length;
    report.firm_bound = length(half) + length(v) / 2;
    report.forecast_change = length(difference(next, before));
    report.loss = run.losses.back().value(x);
    const Index kept = run.reference_weights().size();
    report.outgoing_loss = t > kept ? run.losses[t - 1 - kept].value(x) : 0;
    report.value_change = run.value(x, solved) - run.value(x, model);
    report.regulariser = run.g(x);
    report.objective_entry = run.value(x, solved) + run.g(x);
    report.point_norm = length(x);
    report.gradient_norm = std::max({length(now), length(next), length(run.losses.back().gradient(x))});
    return report;
}

inline RoundReport refused_round(Round number) {
    RoundReport report;
    report.round = number;
    report.status = RoundStatus::refused;
    report.loss = std::nan("");
    report.cost.record_gradients = 1;
    return report;
}

/// What is known once the round has moved from x to y.
inline void leave(const Played& run, const Task& task, const Point& y, RoundReport& report) {
    const Plan& plan = run.plan;
    const Point move = difference(y, task.centre);
    report.objective_exit = run.value(y, task.model) + run.g(y);
    report.movement = length(move);
    report.movement_one = length_one(move);
    report.changed = static_cast<std::uint64_t>(
        std::count_if(move.begin(), move.end(), [](Real each) { return each != 0; }));
    report.penalty = plan.kappa * report.movement_one;
    report.cost += {.record_gradients = 2 + report.steps * std::min<Round>(task.t, plan.w),
                    .record_values = 0,
                    .passes = report.steps,
                    .prox = report.steps + 1};
    report.referee_cost.record_values = 2;
}

inline void close(Played& run) {
    const Point& x = run.points.back();
    run.footer.final_regulariser = run.g(x);
    const Window& last = run.models.back();
    for (Index i = 0; i < last.size(); ++i) {
        if (last[i] == 0) continue;
        run.footer.final_losses.push_back(run.losses[i].value(x));
        run.footer.final_weights.push_back(last[i]);
    }
    run.footer.seconds = 0.125;
}

/// `solve` moves from x_t to x_{t+1} and reports how.
template <class Solve>
Played play_by(const Plan& plan, Solve solve) {
    Played run;
    run.plan = plan;
    Point x(plan.n, plan.g == G::box ? std::min(plan.start, Real{1}) : plan.start);
    run.points.push_back(x);
    run.models.emplace_back();
    run.header = header_of(run, x);
    RunTotals& totals = run.footer.totals;
    for (Round number = 1; number <= plan.rounds; ++number) {
        std::vector<Real> others;
        RoundReport report = refused_round(number);
        const bool refused = plan.refused.contains(number);
        if (!refused) {
            run.losses.push_back(draw_loss(plan, number));
            const Round t = run.losses.size();
            const Window solved = run.model(t);
            const Point before = x;
            const Task task{solved, before, t};
            report = enter(run, x, number, solved);
            for (const Index other : plan.also)
                others.push_back(length(run.gap(x, run.gradient(x, run.box(t, other)), plan.eta)));
            x = solve(run, task, report);
            leave(run, task, x, report);
            run.models.push_back(solved);
            run.points.push_back(x);
        }
        ++(refused ? totals.refused : totals.rounds);
        totals.cost += report.cost;
        totals.referee_cost += report.referee_cost;
        totals.steps += report.steps;
        run.reports.push_back(report);
        run.also.push_back(others);
    }
    close(run);
    return run;
}

inline Played play(const Plan& plan) {
    return play_by(plan, [](const Played& run, const Task& task, RoundReport& report) {
        return solve(run, task, report);
    });
}

inline Closing closing_of(const RunFooter& footer) {
    Closing closing{footer.final_regulariser, footer.final_losses, footer.final_weights, {}};
    for (const RunFooter& member : footer.members) closing.members.push_back(closing_of(member));
    return closing;
}

/// What the sums must be, from points, losses and weights alone.
struct Direct {
    long double regret = 0, variation = 0, changes = 0, exits = 0, path_bound = 0;
    long double energy = 0;  // regrouped by loss: each pays as its weight rises and is refunded as it falls
    long double falls = 0, path_length = 0;
};

inline Direct direct(const Played& run) {
    Direct sums;
    const Round last = run.losses.size();
    const auto weight = [&](Round t, Round s) {  // of f_s in Q_t
        const Window& q = run.models[t - 1];
        return s <= q.size() ? q[s - 1] : 0;
    };
    for (Round t = 1; t <= last; ++t) {
        const Point& x = run.points[t - 1];
        const Window &model = run.models[t - 1], &solved = run.models[t];
        const Point old = run.gradient(x, model);
        const Point now = run.gradient(x, Played::window(run.reference_weights(), t));
        const Real change = length(difference(now, old));
        const Real entry = length(run.gap(x, now, run.plan.eta));
        const Real exit = length(run.gap(x, old, run.plan.eta));
        sums.regret += entry * entry;
        sums.variation += std::pow(change * run.header.effective_length, 2);
        sums.changes += change * change;
        sums.exits += exit * exit;
        sums.path_bound += (exit + change) * (exit + change);
        sums.path_length += length(difference(run.points[t], x));
        sums.falls +=
            run.value(x, solved) + run.g(x) - run.value(run.points[t], solved) - run.g(run.points[t]);
    }
    for (Round s = 1; s <= last; ++s) {
        const Loss& f = run.losses[s - 1];
        for (Round t = s; t <= last; ++t)
            sums.energy += (weight(t + 1, s) - weight(t, s)) * f.value(run.points[t - 1]);
        sums.energy -= weight(last + 1, s) * f.value(run.points[last]);
    }
    sums.energy += run.g(run.points.front()) - run.g(run.points.back());
    return sums;
}

}  // namespace proxstream::naive
