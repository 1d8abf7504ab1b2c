/// A time-smoothed learner written as plainly as the formulas, so that certificates can be checked against
/// something that shares no code with the library's learners. Small dimensions only: every sum is redone.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/regret/tally.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace proxstream::naive {

using Point = std::vector<Real>;

enum class G { zero, l1, box };

struct Plan {
    Index n = 1;
    Index w = 3;
    Round rounds = 40;
    Real eta = 0.4;
    Real delta = 0.3;
    bool varied_delta = false;
    G g = G::l1;
    Real mu = 0.3;       // weight of the L1 norm
    Real curvature = 0;  // 0: cosine losses (|f''| <= 1.5); else quadratics with this second derivative
    std::optional<Real> smoothness = 1.5;
    StepRule rule = StepRule::fixed;
    Real lambda = 1;
    Real first_step = 1;  // of backtracking, in units of eta
    std::optional<std::uint64_t> max_steps = {};
    bool broken_prox = false;
    std::set<Round> refused = {};
    std::vector<Index> also = {};
    Real start = 1.7;
    std::uint64_t seed = 1;
    bool silent_losses = false;  // f = 0
};

struct Loss {
    std::vector<Real> height, shift;
    Real curvature = 0;

    Real value(const Point& x) const {
        Real sum = 0;
        for (Index j = 0; j < x.size(); ++j) {
            sum += curvature > 0 ? curvature / 2 * x[j] * x[j] + shift[j] * x[j]
                                 : height[j] * (1 - std::cos(x[j] - shift[j]));
        }
        return sum;
    }
    Point gradient(const Point& x) const {
        Point out(x.size());
        for (Index j = 0; j < x.size(); ++j) {
            out[j] = curvature > 0 ? curvature * x[j] + shift[j] : height[j] * std::sin(x[j] - shift[j]);
        }
        return out;
    }
};

inline Real length(const Point& a) {
    Real sum = 0;
    for (const Real v : a) sum += v * v;
    return std::sqrt(sum);
}

struct Played {
    Plan plan;
    RunHeader header;
    std::vector<RoundReport> reports;
    std::vector<std::vector<Real>> also;  // residuals for the other windows
    RunFooter footer;
    std::vector<Loss> losses;   // f_1..f_T, refused ones left out
    std::vector<Point> points;  // x_1..x_{T+1}

    RowExtras extras(Index row) const { return {also[row], std::nullopt}; }

    Real g(const Point& x) const {
        Real sum = 0;
        for (const Real v : x) {
            if (plan.g == G::l1) sum += plan.mu * std::abs(v);
            if (plan.g == G::box && std::abs(v) > 1) return kInfinity;
        }
        return sum;
    }
    Point prox(Point v, Real step) const {
        for (Real& each : v) {
            if (plan.g == G::l1)
                each = std::copysign(std::max(Real{0}, std::abs(each) - step * plan.mu), each);
            if (plan.broken_prox) each *= 2.5;
            if (plan.g == G::box) each = std::clamp(each, Real{-1}, Real{1});
        }
        return v;
    }
    Point residual(const Point& x, const Point& d, Real step) const {
        Point z = x;
        for (Index j = 0; j < z.size(); ++j) z[j] -= step * d[j];
        z = prox(z, step);
        for (Index j = 0; j < z.size(); ++j) z[j] = (x[j] - z[j]) / step;
        return z;
    }
    /// Mean over the last w of the first t losses, f_i = 0 for i <= 0.
    Real mean(const Point& x, Round t, Index w) const {
        Real sum = 0;
        for (Round i = t > w ? t - w : 0; i < t; ++i) sum += losses[i].value(x);
        return sum / static_cast<Real>(w);
    }
    Point mean_gradient(const Point& x, Round t, Index w) const {
        Point sum(x.size());
        for (Round i = t > w ? t - w : 0; i < t; ++i) {
            const Point each = losses[i].gradient(x);
            for (Index j = 0; j < x.size(); ++j) sum[j] += each[j] / static_cast<Real>(w);
        }
        return sum;
    }
    Real objective(const Point& x, Round t) const { return mean(x, t, plan.w) + g(x); }

    Certificate live() const {
        Tally tally(header);
        for (Index row = 0; row < reports.size(); ++row) tally.add(reports[row], extras(row));
        return tally.certificate(footer);
    }
};

/// One update from x; returns the point and books what it proves.
inline Point update(const Played& run, const Point& x, const Point& gradient, Round t, Real& step,
                    RoundReport& report) {
    const Plan& plan = run.plan;
    const auto try_step = [&](Real e) {
        Point p = run.residual(x, gradient, e), y = x;
        for (Index j = 0; j < y.size(); ++j) y[j] -= e * p[j];
        return std::pair{y, p};
    };
    Point y, p;
    std::tie(y, p) = try_step(step);
    if (plan.rule == StepRule::backtracking) {
        const auto model = [&] {
            Real linear = 0;
            for (Index j = 0; j < y.size(); ++j) linear += gradient[j] * (y[j] - x[j]);
            return run.mean(x, t, plan.w) + linear + plan.lambda * step / 2 * length(p) * length(p);
        };
        while (run.mean(y, t, plan.w) > model()) {
            step /= 2;
            std::tie(y, p) = try_step(step);
        }
    }
    report.smallest_step = report.steps == 0 ? step : std::min(report.smallest_step, step);
    report.largest_step = std::max(report.largest_step, step);
    report.squared_residuals += length(p) * length(p);
    const Real gain = plan.rule == StepRule::fixed ? run.header.fixed_gain() : step * (1 - plan.lambda / 2);
    report.certified_decrease += gain * length(p) * length(p);
    ++report.steps;
    return y;
}

inline Played play(const Plan& plan) {
    Played run;
    run.plan = plan;
    const Real w = static_cast<Real>(plan.w);
    Point x(plan.n, plan.g == G::box ? std::min(plan.start, Real{1}) : plan.start);
    run.points.push_back(x);
    run.header = {.settings = {{"learner", "naive"}, {"text", "quotes \" and \\ and \n and \xc3\xa9"}},
                  .dimension = plan.n,
                  .window = plan.w,
                  .reference_step = plan.eta,
                  .smoothness = plan.smoothness,
                  .step_rule = plan.rule,
                  .acceptance = plan.lambda,
                  .initial_residual = length(run.residual(x, Point(plan.n), plan.eta)),
                  .initial_regulariser = run.g(x),
                  .regulariser_infimum = 0,
                  .exit_test = true,
                  .max_steps = plan.max_steps,
                  .max_seconds = std::nullopt,
                  .other_windows = plan.also};
    RunTotals totals;
    for (Round number = 1; number <= plan.rounds; ++number) {
        RoundReport report;
        report.round = number;
        if (plan.refused.contains(number)) {
            report.status = RoundStatus::refused;
            report.loss = std::nan("");
            report.cost.record_gradients = 1;
            totals.cost += report.cost;
            ++totals.refused;
            run.reports.push_back(report);
            run.also.emplace_back();
            continue;
        }
        Loss loss;
        loss.curvature = plan.curvature;
        for (std::uint32_t j = 0; j < plan.n; ++j) {
            const Real height = plan.silent_losses ? 0 : 1 + uniform({plan.seed, number, j, 0, 0}) / 2;
            loss.height.push_back(height);
            loss.shift.push_back(0.02 * static_cast<Real>(number) + uniform({plan.seed, number, j, 1, 0}));
        }
        run.losses.push_back(loss);
        const Round t = run.losses.size();
        const Point before = run.mean_gradient(x, t - 1, plan.w), now = run.mean_gradient(x, t, plan.w);
        Point v(plan.n), half = run.residual(x, before, plan.eta);
        for (Index j = 0; j < plan.n; ++j) {
            v[j] = w * (now[j] - before[j]);
            half[j] += v[j] / (2 * w);
        }
        const Real scale = plan.varied_delta ? 1 + 0.5 * std::sin(static_cast<Real>(number)) : 1;
        report.tolerance = plan.delta * scale / w;
        report.entry_residual = length(run.residual(x, now, plan.eta));
        report.variation = length(v);
        report.firm_bound = length(half) + report.variation / (2 * w);
        report.loss = loss.value(x);
        report.outgoing_loss = t > plan.w ? run.losses[t - 1 - plan.w].value(x) : 0;
        report.regulariser = run.g(x);
        report.objective_entry = run.objective(x, t);
        report.status = RoundStatus::quiet;
        Point y = x, gradient = now;
        Real step = plan.rule == StepRule::backtracking ? plan.first_step * plan.eta : plan.eta;
        report.exit_residual = report.entry_residual;
        while (report.exit_residual > report.tolerance) {
            report.status = RoundStatus::solved;
            if (plan.max_steps && report.steps >= *plan.max_steps) {
                report.status = RoundStatus::budget_exhausted;
                break;
            }
            y = update(run, y, gradient, t, step, report);
            gradient = run.mean_gradient(y, t, plan.w);
            report.exit_residual = length(run.residual(y, gradient, plan.eta));
        }
        report.objective_exit = run.objective(y, t);
        Point move = y;
        for (Index j = 0; j < plan.n; ++j) move[j] -= x[j];
        report.movement = length(move);
        report.residual_rounding = 16 * kUnitRoundoff * (length(x) / plan.eta + length(now) + 1);
        report.objective_rounding = 16 * kUnitRoundoff * (std::abs(report.objective_entry) + 1);
        report.cost = {.record_gradients = 2 + report.steps * std::min<Round>(t, plan.w),
                       .record_values = 0,
                       .passes = report.steps,
                       .prox = report.steps + 1};
        report.referee_cost.record_values = 2;
        std::vector<Real> others;
        for (const Index other : plan.also) {
            others.push_back(length(run.residual(x, run.mean_gradient(x, t, other), plan.eta)));
        }
        run.also.push_back(others);
        totals.cost += report.cost;
        totals.referee_cost += report.referee_cost;
        totals.steps += report.steps;
        ++totals.rounds;
        run.reports.push_back(report);
        x = y;
        run.points.push_back(x);
    }
    run.footer.totals = totals;
    run.footer.final_regulariser = run.g(x);
    const Round t = run.losses.size();
    for (Round i = t > plan.w ? t - plan.w : 0; i < t; ++i)
        run.footer.final_losses.push_back(run.losses[i].value(x));
    run.footer.seconds = 0.125;
    return run;
}

/// What the sums must be, from points and losses alone.
struct Direct {
    long double regret = 0, variation = 0, exits = 0, path_bound = 0, energy = 0, falls = 0, path_length = 0;
};

inline Direct direct(const Played& run) {
    Direct sums;
    const Index w = run.plan.w;
    const Round last = run.losses.size();
    for (Round t = 1; t <= last; ++t) {
        const Point& x = run.points[t - 1];
        const Point old = run.mean_gradient(x, t - 1, w), now = run.mean_gradient(x, t, w);
        Point v = now, move = run.points[t];
        for (Index j = 0; j < v.size(); ++j) {
            v[j] = static_cast<Real>(w) * (now[j] - old[j]);
            move[j] -= x[j];
        }
        const Real entry = length(run.residual(x, now, run.plan.eta));
        const Real exit = length(run.residual(x, old, run.plan.eta));
        const Real bound = exit + length(v) / static_cast<Real>(w);
        sums.regret += entry * entry;
        sums.variation += length(v) * length(v);
        sums.exits += exit * exit;
        sums.path_bound += bound * bound;
        sums.path_length += length(move);
        sums.falls += run.objective(x, t) - run.objective(run.points[t], t);
        const Point& leaving = run.points[std::min<Round>(t + w, last + 1) - 1];
        sums.energy += (run.losses[t - 1].value(x) - run.losses[t - 1].value(leaving)) / static_cast<Real>(w);
    }
    sums.energy += run.g(run.points.front()) - run.g(run.points.back());
    return sums;
}

}  // namespace proxstream::naive
