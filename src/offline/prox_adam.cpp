/// Adam's direction of batch gradients (Kingma, Ba 2015), followed by the Euclidean prox with the mean of the
/// coordinates' steps.
#include "proxstream/solve/adam_direction.hpp"

#include "offline/estimate_method.hpp"
#include "offline/stochastic_methods.hpp"

namespace proxstream {
namespace {

class ProxAdam final : public EstimateMethod {
  public:
    ProxAdam(const ArgumentReader& arguments, const AdamOptions& options, Index batch)
        : EstimateMethod(arguments),
          options_(options),
          batch_(batch),
          gradients_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          gradient_(problem().dimension()),
          direction_(problem().dimension()),
          first_(problem().dimension()),
          second_(problem().dimension()) {}

  private:
    ConstView find_estimate(Cost& cost) override {
        if (!gradients_.mean(draw(draws_, batch_), point(), gradient_, cost)) return {};
        // What the prox does not see must not count in the coordinates' steps.
        problem().g.project_direction(gradient_);
        const AdamMoments moments{first_, second_};
        scale_ = adam_direction(options_, iteration() + 1, gradient_, moments, moments, direction_);
        return direction_;
    }
    Move next_move() const override {
        return {.step = options_.step, .share = 1, .prox_step = scale_ * options_.step};
    }
    void exchange_rest(Checkpoint& checkpoint) override {
        checkpoint.fixed("first", first_);
        checkpoint.fixed("second", second_);
        checkpoint.part("draws", draws_);
    }

    AdamOptions options_;
    Index batch_;
    BatchGradients gradients_;
    SampleDraws draws_;
    std::vector<Real> gradient_, direction_;
    std::vector<Real> first_, second_;  // moments
    Real scale_ = 1;                    // mean over the coordinates, of this iteration
};

}  // namespace

MadeMethod make_prox_adam(const Spec& spec, const MethodParts& parts) {
    constexpr std::string_view kPaper = "Kingma, Ba 2015";
    ArgumentReader arguments(spec, parts);
    AdamOptions options;
    options.step = arguments.step(1e-3, kPaper);
    options.first_decay = arguments.fraction("beta1", 0.9, kPaper);
    options.second_decay = arguments.fraction("beta2", 0.999, kPaper);
    options.floor = arguments.positive("floor", 1e-8, kPaper);
    arguments.require(options.first_decay < 1 && options.second_decay < 1, "beta1 and beta2 must be below 1");
    const Index batch = arguments.count("batch", 128, "Kingma, Ba 2015, experiments");
    return std::make_unique<ProxAdam>(arguments, options, batch);
}

}  // namespace proxstream
