/// Epochs that begin with a large batch and go on with recursive estimates: ProxSpiderBoost, ProxSARAH and
/// its adaptive variant. They differ in their steps.
#include "offline/estimate_method.hpp"
#include "offline/stochastic_methods.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace proxstream {
namespace {

struct RecursivePlan {
    Real step = 0;                   // eta
    std::vector<Real> shares = {1};  // gamma, by place in the epoch; the last one for all that follow
    Index batch = 1;                 // b
    Index epoch = 1;                 // iterations from one large batch to the next
    AnchorBatch anchor = {};         // B
    bool distinct = false;           // batches without repetition
    std::optional<MethodPromise> promise = std::nullopt;
};

class RecursiveMethod final : public EstimateMethod {
  public:
    RecursiveMethod(const ArgumentReader& arguments, RecursivePlan plan)
        : EstimateMethod(arguments),
          plan_(std::move(plan)),
          estimator_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step) {}

    std::optional<MethodPromise> promise() const override { return plan_.promise; }

  private:
    Index place() const { return iteration() % plan_.epoch; }

    ConstView find_estimate(Cost& cost) override {
        const bool done = place() == 0 ? plan_.anchor.begin(estimator_, draws_, point(), cost)
                                       : estimator_.follow(next_batch(), previous(), point(), cost);
        return done ? estimator_.value() : ConstView{};
    }
    Batch next_batch() {
        const std::uint64_t n = problem().loss->components();
        if (plan_.distinct && n > plan_.batch) return draws_.draw_distinct(plan_.batch);
        return draw(draws_, plan_.batch);
    }
    Move next_move() const override {
        return {.step = plan_.step, .share = plan_.shares[std::min(place(), plan_.shares.size() - 1)]};
    }
    void exchange_rest(Checkpoint& checkpoint) override {
        checkpoint.part("estimator", estimator_);
        checkpoint.part("draws", draws_);
    }

    RecursivePlan plan_;
    RecursiveEstimator estimator_;
    SampleDraws draws_;
};

/// G1 for any x = eta Lb < 2/3 and b >= q. Errors are martingales over an epoch, so the sum of E|e|^2 is at
/// most K s^2 + x^2 sum E|p|^2, s^2 = sigma_0^2/B (0 for a whole sum); a step lowers F by
/// eta (1 - x/2) |p|^2 - eta <e, p> at least, and Young's inequality with weight x leaves
/// eta (1 - 3x/2) sum E|p|^2 <= Delta + eta/(2x) K s^2. Last, |P|^2 <= 2 |p|^2 + 2 |e|^2.
std::optional<MethodPromise> spider_promise(const ArgumentReader& arguments, const RecursivePlan& plan,
                                            Real smoothness) {
    const Real x = plan.step * smoothness;
    const bool noise_known = plan.anchor.whole || plan.anchor.sigma0 > 0;
    if (!arguments.problem().smoothness.proved || !noise_known || x >= 2.0 / 3 || plan.batch < plan.epoch)
        return std::nullopt;
    const Real variance =
        plan.anchor.whole ? 0
                          : plan.anchor.sigma0 * plan.anchor.sigma0 / static_cast<Real>(plan.anchor.samples);
    const Real squares = 2 + 2 * x * x;
    const Real left = 1 - 1.5 * x;
    return MethodPromise{.theorem = "G1",
                         .step = plan.step,
                         .per_gap = squares / (plan.step * left),
                         .floor = variance * (squares / (2 * x * left) + 2),
                         .noise_measured = !plan.anchor.whole && !arguments.gives("sigma0")};
}

/// (n - b)/(b (n - 1)): what is left of a variance by b of n without repetition; 1/b of an expectation.
Real batch_variance(std::uint64_t n, Index batch) {
    if (n == 0) return 1 / static_cast<Real>(batch);
    if (batch >= n) return 0;
    return static_cast<Real>(n - batch) / (static_cast<Real>(batch) * static_cast<Real>(n - 1));
}

/// Batches of both SARAHs: b = m = sqrt n, without repetition.
RecursivePlan read_sarah_batches(ArgumentReader& arguments) {
    RecursivePlan plan;
    plan.distinct = true;
    plan.anchor = read_anchor(arguments, 17.4, "as SpiderBoost's");
    const Index root = root_batch(plan.anchor.samples, 0.5);
    plan.batch = arguments.count("batch", root, "sqrt of the anchor's, Pham et al. 2020");
    plan.epoch =
        arguments.count("epoch", root + 1, "m + 1 with m the sqrt of the anchor's, Pham et al. 2020");
    return plan;
}

}  // namespace

MadeMethod make_spiderboost(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    RecursivePlan plan;
    plan.anchor = read_anchor(arguments, 17.4, "G1");
    if (arguments.is_sum()) {
        const Index root = root_batch(plan.anchor.samples, 0.5);
        plan.batch = arguments.count("batch", root, "sqrt of the anchor's, Wang et al. 2019");
        plan.epoch = arguments.count("epoch", root, "sqrt of the anchor's, Wang et al. 2019");
        plan.step = arguments.step(1 / (2 * smoothness), "1/(2 Lb), Wang et al. 2019");
    } else {
        const Index root = root_batch((plan.anchor.samples + 1) / 2, 0.5);
        plan.batch = arguments.count("batch", root, "sqrt of half of the anchor's, G1");
        plan.epoch = arguments.count("epoch", root, "sqrt of half of the anchor's, G1");
        plan.step = arguments.step(1 / (3 * smoothness), "1/(3 Lb), G1");
    }
    plan.promise = spider_promise(arguments, plan, smoothness);
    return std::make_unique<RecursiveMethod>(arguments, std::move(plan));
}

// The paper's eta = 2/(4 + L gamma) and gamma = 1/(L sqrt(omega m)) have no units that fit: eta should shrink
// like 1/L, and gamma is a share. Both are read for F/L, whose constant is 1, and a step eta on F/L is one of
// eta/L on F. The adaptive recursion is that of the authors' code, read in the same way; with x = eta L every
// gamma_t (x + x^2 rho sum of the later ones) <= 1 then holds, which is what descent in the mean asks for.

MadeMethod make_sarah(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    RecursivePlan plan = read_sarah_batches(arguments);
    const Real omega = 1.5 * batch_variance(arguments.components(), plan.batch);
    const Real gathered = omega * static_cast<Real>(std::max<Index>(plan.epoch, 2) - 1);
    const Real share = arguments.fraction("gamma", gathered > 1 ? 1 / std::sqrt(gathered) : 1,
                                          "min(1, 1/sqrt(omega m)), omega = 3(n-b)/(2b(n-1)), Pham et al. "
                                          "2020, Theorem 8 read for F/L");
    arguments.require(share > 0, "gamma must be positive");
    plan.shares = {share};
    plan.step = arguments.step(2 / ((4 + share) * smoothness),
                               "2/((4 + gamma) Lb), Pham et al. 2020, Theorem 8 read for F/L");
    return std::make_unique<RecursiveMethod>(arguments, std::move(plan));
}

MadeMethod make_sarah_adaptive(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    RecursivePlan plan = read_sarah_batches(arguments);
    const Real last = arguments.fraction("gamma", 0.99, "gamma_m, code of Pham et al. 2020");
    arguments.require(last > 0, "gamma must be positive");
    plan.step = arguments.step(1 / (last * smoothness), "1/(gamma_m Lb), code of Pham et al. 2020");
    // The scale of a sweep is for steps alone: shares that make up for it would undo it.
    const Real x = plan.step / parts.step_scale * smoothness;
    const Real rho = batch_variance(arguments.components(), plan.batch);
    plan.shares.assign(plan.epoch, 0);
    Real later = 0;
    for (Index place = plan.epoch; place-- > 0;) {
        plan.shares[place] = std::min(last, 1 / (x + (1 + 2 * x * x) * rho * later));
        later += plan.shares[place];
    }
    arguments.note("gamma_0", plan.shares.front(),
                   "gamma_t = 1/(x + (1 + 2 x^2) rho sum of the later ones), x = eta Lb, rho = "
                   "(n-b)/(b(n-1)): code of Pham et al. 2020, read for F/L");
    return std::make_unique<RecursiveMethod>(arguments, std::move(plan));
}

}  // namespace proxstream
