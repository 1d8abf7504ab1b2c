#include "proxstream/online/advice.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kLongestWindow = 10'000'000;
constexpr Index kLargestBatch = 1'000'000'000;
constexpr Index kMostConfirmations = 1000;

// For a given delta, a batch b in proportion to the margin x = (delta / counting_delta)^2 costs b N ~ x^2/(x
// - 1) samples while losses dominate: least at x = 2. Without confirmations the terms that stay when losses
// are small (C-ii) are far better at 4, which costs at most a third more otherwise.
constexpr Real kSingleMargin = 4;
constexpr Real kConfirmedMargin = 2;
// Section 8 of the notes: delta = 2 sigma / c.
constexpr Real kBoundedMargin = 4;

class Violations {
  public:
    void require(bool holds, std::string text) {
        if (!holds) found_.push_back(std::move(text));
    }
    void in_range(std::string_view what, Real value, bool zero_allowed) {
        require(value <= kAbsurd && (zero_allowed ? value >= 0 : value > 0),
                fmt::format("{} = {:.6g}: must be {} and at most {:g}", what, value,
                            zero_allowed ? "0 or more" : "positive", kAbsurd));
    }
    void in_range(std::string_view what, Index value, Index most) {
        require(value >= 1 && value <= most,
                fmt::format("{} = {}: must be a whole number from 1 to {}", what, value, most));
    }
    bool empty() const { return found_.empty(); }
    void settle() {
        if (!found_.empty()) throw ConfigError(std::move(found_));
    }

  private:
    std::vector<std::string> found_;
};

void check_step(Violations& violations, Real smoothness, Real step) {
    violations.in_range("smoothness", smoothness, true);
    violations.in_range("step", step, false);
    if (!violations.empty()) return;
    violations.require(step * smoothness < 2,
                       fmt::format("step = {:.6g}: must be below 2/L = {:.6g}: longer steps need not descend",
                                   step, 2 / smoothness));
}

Real square(Real value) {
    return value * value;
}

/// The smallest count that is enough; rounding must not turn one that fits exactly into the next.
Real count_for(Real wanted) {
    constexpr Real kRounding = 1e-12;
    return std::max(Real{1}, std::ceil(wanted * (1 - kRounding)));
}

/// counting_delta() in units of sigma.
Real counting_ratio(const NoisyTest& test) {
    const Real c = test.contraction();
    if (test.bounded) return 1 / c;
    return test.confirm > 1 ? std::sqrt(static_cast<Real>(test.confirm)) / c : 1 / std::sqrt(c);
}

Real usual_ratio(const NoisyTest& test) {
    const Real margin = test.bounded ? kBoundedMargin : test.confirm > 1 ? kConfirmedMargin : kSingleMargin;
    return std::sqrt(margin) * counting_ratio(test);
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

/// sigma of the window's gradient in units of sigma_0 / sqrt(b). A sure bound is lowered neither by averaging
/// nor by independence: an average of errors of size sigma_0 may have size sigma_0.
Real noise_gain(const AdviceInput& input) {
    const auto w = static_cast<Real>(input.window);
    return input.independent && input.tail != NoiseTail::bounded ? std::sqrt(w) : w;
}

bool is_bounded(const AdviceInput& input) {
    return input.tail == NoiseTail::bounded || input.base_noise == 0;
}

Index batch_for(const AdviceInput& input, const NoisyTest& unit) {
    if (input.batch) return *input.batch;
    if (!input.delta || is_bounded(input)) return 1;
    const Real wanted =
        count_for(square(noise_gain(input) * input.base_noise * usual_ratio(unit) / *input.delta));
    if (!(wanted <= static_cast<Real>(kLargestBatch))) {
        throw ConfigError(
            fmt::format("delta = {:.6g}: needs {:.3g} base samples a record and call, more than {}; the "
                        "smallest delta that "
                        "works with 1 is above {:.6g}",
                        *input.delta, wanted, kLargestBatch,
                        noise_gain(input) * input.base_noise / std::sqrt(unit.contraction())));
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
    NoisyTest test{
        .smoothness = input.smoothness, .step = step, .confirm = confirm, .bounded = is_bounded(input)};
    Plan plan;
    Advice& advice = plan.advice;
    advice.step = step;
    advice.contraction = test.contraction();
    advice.confirm = confirm;
    advice.batch = batch_for(input, test);
    const auto b = static_cast<Real>(advice.batch);
    test.sigma = noise_gain(input) * input.base_noise / (test.bounded ? 1 : std::sqrt(b));
    advice.sigma = test.sigma;
    advice.smallest_delta = counting_delta(test);
    advice.delta = input.delta.value_or(usual_delta(test));
    check_condition(test, advice.delta, advice.batch);
    advice.tolerance = advice.delta / w;

    plan.pay = w * input.swing / step / advice.delta / advice.delta;
    const Real noise = square(test.sigma / advice.delta);
    const Bound updates = updates_bound(test, plan.pay, noise);
    advice.updates = updates.value;
    advice.updates_rule = updates.rule;
    advice.estimates = static_cast<Real>(confirm) * (1 + advice.updates);
    advice.fresh_samples = advice.estimates * w * b;
    const Real averaged = advice.sigma > 0 ? square(input.base_noise * w / advice.sigma) : 1;
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
    spider.restart_samples = w * count_for(wanted);
    spider.step_samples = count_for(std::sqrt(spider.restart_samples / 2));
    spider.updates =
        8 * w * input.swing / spider.step / advice.delta / advice.delta + spider.step_samples + 1;
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
    violations.in_range("smoothness", input.smoothness, input.step.has_value());
    violations.in_range("mean squared smoothness", input.mean_squared_smoothness, true);
    violations.in_range("noise", input.base_noise, true);
    violations.in_range("window", input.window, kLongestWindow);
    violations.in_range("swing", input.swing, true);
    violations.in_range("variation", input.variation, true);
    if (input.delta) violations.in_range("delta", *input.delta, false);
    if (input.batch) violations.in_range("batch", *input.batch, kLargestBatch);
    if (input.confirm) violations.in_range("confirm", *input.confirm, kMostConfirmations);
    if (input.step && !(*input.step > 0 && *input.step <= kAbsurd)) {
        violations.in_range("step", *input.step, false);
    } else if (input.step && input.smoothness >= 0 && input.smoothness <= kAbsurd) {
        check_step(violations, input.smoothness, *input.step);
    }
    violations.require(input.base_noise != 0 || input.delta,
                       "noise = 0: gradients without noise ask for no particular delta; give one");
    violations.settle();
}

}  // namespace

Real stopping_delta(const NoisyTest& test) {
    return test.sigma / std::sqrt(test.contraction());
}

Real counting_delta(const NoisyTest& test) {
    return test.sigma * counting_ratio(test);
}

Real usual_delta(const NoisyTest& test) {
    return test.sigma * usual_ratio(test);
}

void check_condition(const NoisyTest& test, Real delta, Index batch) {
    Violations violations;
    check_step(violations, test.smoothness, test.step);
    violations.in_range("sigma", test.sigma, true);
    violations.in_range("delta", delta, false);
    violations.in_range("confirm", test.confirm, kMostConfirmations);
    violations.in_range("batch", batch, kLargestBatch);
    violations.settle();
    const Real c = test.contraction();
    const Real noise = square(test.sigma / delta);
    if (noise < c) return;
    std::string remedy = fmt::format("the smallest delta that works is above {:.6g}", stopping_delta(test));
    if (!test.bounded) {
        const Real needed = std::floor(static_cast<Real>(batch) * noise / c) + 1;
        remedy += fmt::format("; at this delta, {:.6g} base samples a record and call instead of {}", needed,
                              batch);
    }
    throw ConfigError(fmt::format(
        "delta = {:.6g}: a round may never end, because noise of sigma = {:.6g} alone can keep the exit test "
        "failing: c delta^2 = {:.6g} has to be above sigma^2 = {:.6g}, c = 1 - eta L/2 = {:.6g} with "
        "eta = {:.6g} and L = {:.6g}; {}",
        delta, test.sigma, c * square(delta), square(test.sigma), c, test.step, test.smoothness, remedy));
}

Advice advise(const AdviceInput& input) {
    check_input(input);
    const Real step = input.step.value_or(1 / input.smoothness);
    const bool choose = !input.confirm && input.tail == NoiseTail::variance && !is_bounded(input);
    Advice advice = choose ? plan_confirmations(input, step).advice
                           : plan_with(input, step, input.confirm.value_or(1)).advice;
    advice.spider = spider_for(input, advice);
    advice.paper = paper_condition(input, advice);
    return advice;
}

}  // namespace proxstream
