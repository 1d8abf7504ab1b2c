/// Prox-SGD: a step along the mean gradient of a batch (Ghadimi, Lan, Zhang 2016).
#include "offline/estimate_method.hpp"
#include "offline/pass_schedule.hpp"
#include "offline/stochastic_methods.hpp"

#include <optional>

namespace proxstream {
namespace {

constexpr Index kPlainBatch = 128;

class ProxSgd final : public EstimateMethod {
  public:
    ProxSgd(const ArgumentReader& arguments, const PassSchedule& schedule, Index batch,
            std::optional<MethodPromise> promise)
        : EstimateMethod(arguments),
          schedule_(schedule),
          batch_(batch),
          promise_(std::move(promise)),
          gradients_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          estimate_(problem().dimension()) {}

    std::optional<MethodPromise> promise() const override { return promise_; }

  private:
    ConstView find_estimate(Cost& cost) override {
        // Batches that follow from an accuracy may be too large to be held.
        const std::uint64_t n = problem().loss->components();
        const bool done = n > 0 && batch_ >= n
                              ? gradients_.mean({}, point(), estimate_, cost)
                              : gradients_.mean_of_draws(draws_, batch_, 1, point(), estimate_, cost);
        return done ? ConstView(estimate_) : ConstView{};
    }
    Move next_move() const override {
        return {.step = schedule_.at(passes_of(iteration(), batch_, *problem().loss))};
    }
    void exchange_rest(Checkpoint& checkpoint) override { checkpoint.part("draws", draws_); }

    PassSchedule schedule_;
    Index batch_;
    std::optional<MethodPromise> promise_;
    BatchGradients gradients_;
    SampleDraws draws_;
    std::vector<Real> estimate_;
};

/// What of a step's gain is left, 1 - eta L/2; nothing where steps are too long for a proof.
Real gain(Real step, Real smoothness) {
    return 1 - step * smoothness / 2;
}

/// The plain minibatch bound, for any eta < 2/L. A step along v = grad f + e of residual p lowers F by
/// eta c |p|^2 - eta <e, p> at least, c = 1 - eta L/2, and E<e, p> <= E|e|^2 <= sigma_0^2/b, as p moves by
/// no more than e. With |P|^2 <= 2 |p|^2 + 2 |e|^2 the mean of E|P|^2 is at most
/// 2 Delta/(K eta c) + 2 (1/c + 1) sigma_0^2/b; for eta = 1/L that is 4 L Delta/K + 6 sigma_0^2/b.
Real noise_factor(Real gain) {
    return 2 * (1 / gain + 1);
}

}  // namespace

MadeMethod make_prox_sgd(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_smoothness();
    const PassSchedule schedule =
        read_schedule(arguments, 1 / (2 * smoothness), "1/(2L), Ghadimi, Lan, Zhang 2016");
    const Real c = gain(schedule.step(), smoothness);
    std::optional<Real> sigma0;
    Index batch = 0;
    if (arguments.gives("sigma0")) sigma0 = arguments.sigma0();
    if (arguments.is_sum()) {
        batch = arguments.count("batch", root_batch(arguments.components(), 0.5),
                                "sqrt n: as SpiderBoost's, so that both meet g as often");
    } else if (parts.epsilon > 0 && c > 0 && !arguments.gives("batch")) {
        if (!sigma0) sigma0 = arguments.sigma0();
        const Real wanted = 2 * noise_factor(c) * *sigma0 * *sigma0 / (parts.epsilon * parts.epsilon);
        batch =
            arguments.count("batch", count_of(wanted), "noise of half of epsilon^2, plain minibatch bound");
    } else {
        batch = arguments.count("batch", kPlainBatch, "a constant");
    }
    arguments.takes(batch);
    std::optional<MethodPromise> promise;
    const bool whole = arguments.is_sum() && batch >= arguments.components();
    if (whole) sigma0 = 0;
    if (parts.problem.smoothness.proved && schedule.constant() && c > 0 && sigma0) {
        promise = {.theorem = "plain minibatch bound",
                   .step = schedule.step(),
                   .per_gap = 2 / (schedule.step() * c),
                   .floor = noise_factor(c) * *sigma0 * *sigma0 / static_cast<Real>(batch),
                   .noise_measured = !whole && !arguments.gives("sigma0")};
    }
    return std::make_unique<ProxSgd>(arguments, schedule, batch, std::move(promise));
}

}  // namespace proxstream
