/// Methods whose estimate forgets its errors a little in every step: STORM with a prox, and the hybrid.
#include "offline/estimate_method.hpp"
#include "offline/stochastic_methods.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace proxstream {
namespace {

/// PStorm (Xu, Xu 2023): eta_k = eta_0 (4/(k + 4))^(1/3), eta_0 <= 1/(8 Lb).
struct StormPlan {
    Real step = 0;             // eta_0
    Real smoothness = 0;       // Lb
    Index batch = 1;           // of an iteration
    Index first = 1;           // of the first one
    std::optional<Real> beta;  // where it is given

    Real step_at(std::uint64_t k) const { return step * std::cbrt(4 / (static_cast<Real>(k) + 4)); }
    /// Of the estimate of iteration k + 1.
    Real beta_after(std::uint64_t k) const {
        if (beta) return *beta;
        const Real x = step_at(k) * smoothness;
        const Real wanted = (1 + 24 * x * x - step_at(k + 1) / step_at(k)) / (1 + 4 * x * x);
        return std::min<Real>(1, wanted);  // steps longer than theory's ask for more than all
    }
};

class ProxStorm final : public EstimateMethod {
  public:
    ProxStorm(const ArgumentReader& arguments, const StormPlan& plan)
        : EstimateMethod(arguments),
          plan_(plan),
          estimator_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step) {}

  private:
    ConstView find_estimate(Cost& cost) override {
        const bool done =
            iteration() == 0 ? estimator_.begin(draw(draws_, plan_.first), point(), cost)
                             : estimator_.follow(draw(draws_, plan_.batch), plan_.beta_after(iteration() - 1),
                                                 previous(), point(), cost);
        return done ? estimator_.value() : ConstView{};
    }
    Move next_move() const override { return {.step = plan_.step_at(iteration())}; }
    void exchange_rest(Checkpoint& checkpoint) override {
        checkpoint.part("estimator", estimator_);
        checkpoint.part("draws", draws_);
    }

    StormPlan plan_;
    StormEstimator estimator_;
    SampleDraws draws_;
};

struct HybridPlan {
    Real step = 0;       // eta
    Real share = 1;      // gamma
    Real beta = 1;       // of the recursive part
    Index batch = 1;     // of each of its two
    Index epoch = 1;     // iterations from one large batch to the next
    AnchorBatch anchor;  // B
};

class Hybrid final : public EstimateMethod {
  public:
    Hybrid(const ArgumentReader& arguments, const HybridPlan& plan)
        : EstimateMethod(arguments),
          plan_(plan),
          estimator_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          fresh_draws_(arguments.parts().seed, arguments.components(), DrawPurpose::second_step) {}

  private:
    ConstView find_estimate(Cost& cost) override {
        const bool done = iteration() % plan_.epoch == 0
                              ? plan_.anchor.begin(estimator_, draws_, point(), cost)
                              : estimator_.follow(draw(draws_, plan_.batch), draw(fresh_draws_, plan_.batch),
                                                  plan_.beta, previous(), point(), cost);
        return done ? estimator_.value() : ConstView{};
    }
    Move next_move() const override { return {.step = plan_.step, .share = plan_.share}; }
    void exchange_rest(Checkpoint& checkpoint) override {
        checkpoint.part("estimator", estimator_);
        checkpoint.part("draws", draws_);
        checkpoint.part("fresh draws", fresh_draws_);
    }

    HybridPlan plan_;
    HybridEstimator estimator_;
    SampleDraws draws_, fresh_draws_;
};

/// The largest gamma for which half of a step's gain is left. With x = eta Lb a step lowers F in the mean by
/// (gamma eta/2) ((1 - gamma x) |p|^2 - |e|^2) at least, and the errors' sum is at most
/// a^2 gamma^2 x^2 sum |p|^2 and noise, a^2 = beta^2/(b (1 - beta^2)): so gamma x + a^2 gamma^2 x^2 <= 1/2.
Real hybrid_share(Real x, Real beta, Index batch) {
    if (beta >= 1) return 1;  // no bound: it is the recursive estimator, and an epoch ends in time
    const Real a2 = beta * beta / (static_cast<Real>(batch) * (1 - beta * beta));
    return std::min<Real>(1, 1 / (x * (1 + std::sqrt(1 + 2 * a2))));
}

}  // namespace

MadeMethod make_storm(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    StormPlan plan;
    plan.smoothness = arguments.mean_square_smoothness();
    plan.batch = arguments.count("batch", 64, "a constant: theory allows any");
    plan.first = arguments.count("first", plan.batch, "as the others, Xu, Xu 2023, Theorem of varying steps");
    plan.step = arguments.step(1 / (8 * plan.smoothness),
                               "eta_0 = 1/(8 Lb), eta_k = eta_0 (4/(k+4))^(1/3), "
                               "Xu, Xu 2023");
    if (arguments.gives("beta")) {
        plan.beta = arguments.fraction("beta", 1, "");
    } else {
        arguments.note("beta_0", plan.beta_after(0),
                       "beta_k = (1 + 24 x^2 - eta_{k+1}/eta_k)/(1 + 4 x^2), x = eta_k Lb, Xu, Xu 2023");
    }
    return std::make_unique<ProxStorm>(arguments, plan);
}

MadeMethod make_hybrid(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    HybridPlan plan;
    plan.anchor = read_anchor(arguments, 17.4, "as SpiderBoost's");
    const Index root = root_batch(plan.anchor.samples, 0.5);
    plan.batch = arguments.count("batch", root, "sqrt of the anchor's, as SpiderBoost's");
    plan.epoch = arguments.count("epoch", root, "sqrt of the anchor's, as SpiderBoost's");
    const Real horizon = static_cast<Real>(plan.anchor.samples) * static_cast<Real>(plan.epoch);
    plan.beta =
        arguments.fraction("beta", 1 - std::min<Real>(1, std::sqrt(static_cast<Real>(plan.batch) / horizon)),
                           "1 - sqrt(b/(B (m+1))), m + 1 the epoch, Tran-Dinh et al. 2022");
    plan.step = arguments.step(1 / (2 * smoothness), "1/(2 Lb)");
    const Real x = plan.step / parts.step_scale * smoothness;
    plan.share = arguments.fraction("gamma", hybrid_share(x, plan.beta, plan.batch),
                                    "the largest that leaves half of a step's gain: gamma x + beta^2 gamma^2 "
                                    "x^2/(b (1 - beta^2)) <= 1/2, x = eta Lb; form of Tran-Dinh et al. 2022");
    arguments.require(plan.share > 0, "gamma must be positive");
    return std::make_unique<Hybrid>(arguments, plan);
}

}  // namespace proxstream
