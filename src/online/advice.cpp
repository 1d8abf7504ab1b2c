#include "proxstream/online/advice.hpp"

#include "online/figure_checks.hpp"
#include "online/noisy_test.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

Real square(Real value) {
    return value * value;
}

/// The smallest count that is enough; rounding must not turn one that fits exactly into the next.
Real count_for(Real wanted) {
    constexpr Real kRounding = 1e-12;
    return std::max(Real{1}, std::ceil(wanted * (1 - kRounding)));
}

struct Bound {
    Real value = kInfinity;
    std::string_view rule = "none";
};

/// Updates a round. In units of delta: pay = w swing/(eta delta^2) is what losses bring in a round (E_T <= T
/// swing/w), noise = sigma^2/delta^2.
Bound updates_bound(const NoisyTest& test, Real pay, Real noise) {
    const Real c = test.contraction();
    if (test.bounded) {
        const Real room = c - std::sqrt(noise);
        return room > 0 ? Bound{pay / room, "5'"} : Bound{};
    }
    const auto m = static_cast<Real>(test.confirm);
    Bound best;
    if (c * c > m * noise) {
        best = {(2 * c * pay + m * noise) / (c * c - m * noise), test.confirm > 1 ? "D-conf" : "C-i"};
    }
    if (test.confirm == 1 && c > noise) {
        // C-ii with the best kappa: u = 1/(2 kappa) solves 4 noise (a + b) u^2 + 2 noise u = b.
        const Real a = pay + noise;
        const Real b = c - noise;
        const Real u = b / (noise + std::sqrt(noise * noise + 4 * noise * (a + b) * b));
        const Real value = (a + u * noise + 1 / (4 * u)) / (b - u * noise);
        if (value < best.value) best = {value, "C-ii"};
    }
    return best;
}

/// E (a^stop)^2 in units of rho^2: how far from stationary a point is that passed the test.
Bound kept_bound(const NoisyTest& test, NoiseTail tail, Real pay, Real noise, Real updates) {
    if (test.bounded) return {square(1 + std::sqrt(noise)), "D-bdd"};
    if (updates == kInfinity) return {};
    const auto m = static_cast<Real>(test.confirm);
    const Real passes = 1 + updates;
    Bound best;
    if (tail == NoiseTail::subgaussian) {
        best = {square(1 + std::sqrt(2 * noise * (1 + std::log(2 * m * passes)))), "D-sg"};
    }
    Bound other;
    if (test.confirm > 1) {
        other = {2 + 2 * noise * m / (m - 1) * std::pow(passes, 1 / m), "D-conf"};
    } else {
        const Real fallen = (pay + noise * passes + std::sqrt(noise * passes)) / test.contraction();
        const Real walked = 2 * (fallen + 1) + 2 * noise * passes;
        other = {4 + 4 * std::sqrt(noise * walked), "D-var"};
    }
    return other.value < best.value ? other : best;
}

/// sigma of the window's gradient with one sample a record. A sure bound is lowered neither by averaging nor
/// by independence: an average of errors of size sigma_0 may have size sigma_0.
Real sigma_of_one(const AdviceInput& input) {
    const auto w = static_cast<Real>(input.window);
    return input.base_noise * (input.independent && input.tail != NoiseTail::bounded ? std::sqrt(w) : w);
}

/// The variance that the mean of `batch` samples keeps; without replacement (R - b)/(R - 1) of 1/b.
Real kept_variance(const AdviceInput& input, Real batch) {
    if (input.tail == NoiseTail::bounded) return 1;
    if (input.rows == 0) return 1 / batch;
    const auto rows = static_cast<Real>(input.rows);
    return rows > batch ? (rows - batch) / (batch * (rows - 1)) : 0;
}

Index batch_for(const AdviceInput& input, NoisyTest unit) {
    if (input.batch) return *input.batch;
    if (!input.delta || input.base_noise == 0 || unit.bounded) return 1;
    unit.sigma = sigma_of_one(input);
    const Real free = square(usual_delta(unit) / *input.delta);  // draws with replacement
    const auto rows = static_cast<Real>(input.rows);
    const Real wanted = count_for(input.rows > 0 ? rows / (1 + (rows - 1) / free) : free);
    if (!(wanted <= static_cast<Real>(kLargestBatch))) {
        throw ConfigError(fmt::format(
            "delta = {:.6g}: needs {:.3g} base samples a record and call, more than {}; the smallest delta "
            "that works with 1 is above {:.6g}",
            *input.delta, wanted, kLargestBatch, stopping_delta(unit)));
    }
    return static_cast<Index>(wanted);
}

struct Plan {
    Advice advice;
    Real pay = 0;
    Real kept = kInfinity;  // in units of rho^2
};

Plan plan_with(const AdviceInput& input, Real step, Index confirm) {
    const auto w = static_cast<Real>(input.window);
    NoisyTest test{.smoothness = input.smoothness,
                   .step = step,
                   .sigma = 0,
                   .confirm = confirm,
                   .bounded = input.tail == NoiseTail::bounded};
    Plan plan;
    Advice& advice = plan.advice;
    advice.step = step;
    advice.contraction = test.contraction();
    advice.batch = batch_for(input, test);
    const auto b = static_cast<Real>(advice.batch);
    test.sigma = sigma_of_one(input) * std::sqrt(kept_variance(input, b));
    if (test.sigma == 0) {  // exact: surely so, and nothing is left to confirm
        test.bounded = true;
        test.confirm = 1;
    }
    advice.sigma = test.sigma;
    advice.confirm = test.confirm;
    advice.smallest_delta = counting_delta(test);
    advice.delta = input.delta.value_or(usual_delta(test));
    check_condition(test, advice.delta, advice.batch);
    advice.tolerance = advice.delta / w;

    plan.pay = w * input.oscillation / step / advice.delta / advice.delta;
    const Real noise = square(test.sigma / advice.delta);
    const Bound updates = updates_bound(test, plan.pay, noise);
    advice.updates = updates.value;
    advice.updates_rule = updates.rule;
    advice.estimates = static_cast<Real>(advice.confirm) * (1 + advice.updates);
    advice.fresh_samples = advice.estimates * w * b;
    // No number of free draws has no noise at all.
    const Real averaged = input.base_noise == 0 ? 1 : square(input.base_noise * w / advice.sigma);
    advice.paper_samples = advice.estimates * w * std::max(averaged, Real{1});

    const Bound kept = kept_bound(test, input.tail, plan.pay, noise, advice.updates);
    plan.kept = kept.value;
    advice.regret = square(advice.tolerance * std::sqrt(kept.value) + input.variation / w);
    advice.regret_rule = kept.rule;
    return plan;
}

/// The fewest confirmations with which selection costs no more than the test itself: E (a^stop)^2 <= 4 rho^2.
/// Where delta and batch are both given that may be out of reach; then those with the smallest bound.
Plan plan_confirmations(const AdviceInput& input, Real step) {
    constexpr Real kBalanced = 4;
    Plan best = plan_with(input, step, 1);
    for (Index m = 2; m <= kMostConfirmations; ++m) {
        Plan plan = plan_with(input, step, m);
        if (plan.advice.updates == kInfinity) break;
        const auto enough = 1 + std::ceil(std::log1p(plan.advice.updates));
        const bool last = plan.kept <= kBalanced || static_cast<Real>(m) >= enough;
        if (plan.kept < best.kept) best = std::move(plan);
        if (last) break;
    }
    return best;
}

/// G2: eta = 1/(2 Lb), B = 8 sigma_0^2/rho^2, q = b = sqrt(B/2): E N <= 8 Delta/(eta rho^2) + q + 1. Its
/// proof sums decreases over updates alone, so over a run Delta may be E_T/T <= swing/w.
SpiderAdvice spider_for(const AdviceInput& input, const Advice& advice) {
    const Real smoothness = std::max(input.smoothness, input.mean_squared_smoothness);
    const auto w = static_cast<Real>(input.window);
    SpiderAdvice spider;
    spider.step = smoothness > 0 ? 1 / (2 * smoothness) : advice.step;
    // A restart asks every record alike; shared noise is not lowered by asking many.
    const Real wanted = 8 * square(input.base_noise / advice.tolerance) / (input.independent ? w : 1);
    const Real most = input.rows > 0 ? static_cast<Real>(input.rows) : kInfinity;  // all of them: exact
    spider.restart_samples = w * std::min(count_for(wanted), most);
    spider.step_samples = count_for(std::sqrt(spider.restart_samples / 2));
    spider.updates =
        8 * w * input.oscillation / spider.step / advice.delta / advice.delta + spider.step_samples + 1;
    spider.base_samples =
        spider.restart_samples +
        spider.updates * (spider.restart_samples / spider.step_samples + 2 * spider.step_samples);
    return spider;
}

PaperCondition paper_condition(const AdviceInput& input, const Advice& advice) {
    PaperCondition paper;
    constexpr Real kRounding = 1e-9;  // of 1/L times L
    const bool meaningful = advice.step * input.smoothness < 1 - kRounding;
    paper.step = meaningful ? advice.step : 1 / (2 * input.smoothness);
    const Real share = paper.step * input.smoothness;
    paper.delta = advice.sigma * std::sqrt(2 / (paper.step * (1 - share)));
    paper.met = meaningful && advice.delta > paper.delta;
    paper.sound = 2 - share >= paper.step * (1 - share);
    return paper;
}

void check_input(const AdviceInput& input) {
    Violations violations;
    check_range(violations, "smoothness", input.smoothness, input.step.has_value());
    check_range(violations, "mean squared smoothness", input.mean_squared_smoothness, true);
    check_range(violations, "noise", input.base_noise, true);
    check_range(violations, "window", input.window, kLongestWindow);
    check_range(violations, "swing", input.oscillation, true);
    check_range(violations, "variation", input.variation, true);
    if (input.delta) check_range(violations, "delta", *input.delta, false);
    if (input.batch) check_range(violations, "batch", *input.batch, kLargestBatch);
    violations.require(!input.batch || input.rows == 0 || *input.batch <= input.rows,
                       "batch = {}: a record has {} rows to draw from", input.batch.value_or(0), input.rows);
    if (input.confirm) check_range(violations, "confirm", *input.confirm, kMostConfirmations);
    if (input.step && !(*input.step > 0 && *input.step <= kAbsurd)) {
        check_range(violations, "step", *input.step, false);
    } else if (input.step && input.smoothness >= 0 && input.smoothness <= kAbsurd) {
        check_step(violations, input.smoothness, *input.step);
    }
    const bool whole = input.batch && input.rows > 0 && *input.batch == input.rows;
    violations.require(input.delta || (input.base_noise != 0 && !whole),
                       "{}: gradients without noise ask for no particular delta; give one",
                       whole ? "batch = " + std::to_string(input.rows) : "noise = 0");
    violations.conclude();
}

}  // namespace

Advice advise(const AdviceInput& input) {
    check_input(input);
    // For a given delta samples go like 1/(eta c^3) with confirmed stops, least at eta = 1/(2L), and like
    // 1/(eta c^2) without, where that is within 6 % of the least.
    const Real step = input.step.value_or(1 / (2 * input.smoothness));
    const bool choose = !input.confirm && input.tail == NoiseTail::variance;
    Advice advice = choose ? plan_confirmations(input, step).advice
                           : plan_with(input, step, input.confirm.value_or(1)).advice;
    advice.spider = spider_for(input, advice);
    advice.paper = paper_condition(input, advice);
    return advice;
}

}  // namespace proxstream
