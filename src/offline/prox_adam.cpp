/// Adam's direction of batch gradients (Kingma, Ba 2015), followed by the Euclidean prox. With a step for
/// each coordinate, fixed points need not be stationary for F, because the gradient is rescaled and g is not.
/// So the default is one scale for all coordinates.
#include "proxstream/core/linalg.hpp"

#include "offline/estimate_method.hpp"
#include "offline/method_rows.hpp"
#include "solve/adam_direction.hpp"

#include <cmath>

namespace proxstream {
namespace {

class ProxAdam final : public EstimateMethod {
  public:
    ProxAdam(const ArgumentReader& arguments, const AdamOptions& options, const PassSchedule& schedule,
             bool common, Index batch)
        : EstimateMethod(arguments),
          options_(options),
          schedule_(schedule),
          common_(common),
          batch_(batch),
          gradients_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          gradient_(problem().dimension()),
          direction_(problem().dimension()),
          first_(problem().dimension()),
          second_(common ? 1 : problem().dimension()) {}

  private:
    ConstView find_estimate(Cost& cost) override {
        if (!gradients_.mean(draw(draws_, batch_), point(), gradient_, cost)) return {};
        // Components that the prox removes must not affect the scales.
        problem().g.project_direction(gradient_);
        if (common_) return common_direction();
        const AdamMoments moments{first_, second_};
        scale_ = adam_direction(options_, iteration() + 1, gradient_, moments, moments, direction_);
        return direction_;
    }
    /// The same with the mean square over the coordinates as the one second moment.
    ConstView common_direction() {
        const auto round = static_cast<Real>(iteration() + 1);
        const Real mean_square = squared_norm(gradient_) / static_cast<Real>(gradient_.size());
        scaled(options_.first_decay, first_, first_);
        axpy(1 - options_.first_decay, gradient_, first_);
        second_[0] = options_.second_decay * second_[0] + (1 - options_.second_decay) * mean_square;
        scale_ = 1 / (std::sqrt(second_[0] / (1 - std::pow(options_.second_decay, round))) + options_.floor);
        scaled(scale_ / (1 - std::pow(options_.first_decay, round)), first_, direction_);
        return direction_;
    }
    Movement next_move() const override {
        const Real step = schedule_.at(passes_of(iteration(), batch_, *problem().loss));
        return {.step = step, .share = 1, .prox_step = scale_ * step};
    }
    void serialise_rest(StateArchive& archive) override {
        archive.fixed("first", first_);
        archive.fixed("second", second_);
        archive.section("draws", draws_);
    }

    AdamOptions options_;
    PassSchedule schedule_;
    bool common_;  // one scale for all coordinates
    Index batch_;
    BatchGradients gradients_;
    SampleDraws draws_;
    std::vector<Real> gradient_, direction_;
    std::vector<Real> first_, second_;  // moments
    Real scale_ = 1;                    // of this iteration; the mean over the coordinates
};

}  // namespace

MadeMethod make_prox_adam(const Spec& spec, const MethodParts& parts) {
    constexpr std::string_view kPaper = "Kingma, Ba 2015";
    ArgumentReader arguments(spec, parts);
    AdamOptions options;
    const PassSchedule schedule = read_schedule(arguments, 1e-3, kPaper);
    options.first_decay = arguments.fraction("beta1", 0.9, kPaper);
    options.second_decay = arguments.fraction("beta2", 0.999, kPaper);
    options.floor = arguments.positive("floor", 1e-8, kPaper);
    arguments.require(options.first_decay < 1 && options.second_decay < 1, "beta1 and beta2 must be below 1");
    const Index batch = arguments.count("batch", 128, "Kingma, Ba 2015, experiments");
    const std::string metric = arguments.word("metric", {"common", "coordinates"}, "common",
                                              "so that a fixed point is stationary for F");
    return std::make_unique<ProxAdam>(arguments, options, schedule, metric == "common", batch);
}

}  // namespace proxstream
