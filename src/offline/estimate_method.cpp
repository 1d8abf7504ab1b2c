#include "offline/estimate_method.hpp"

#include "proxstream/core/linalg.hpp"

#include "offline/fit.hpp"

#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// B of an expectation if no epsilon is given.
constexpr Index kPlainAnchor = 4096;

class EpochMethod final : public EstimateMethod {
  public:
    EpochMethod(const ArgumentReader& arguments, EpochPlan plan)
        : EstimateMethod(arguments),
          plan_(std::move(plan)),
          estimate_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          fresh_draws_(arguments.parts().seed, arguments.components(), DrawPurpose::second_step),
          anchor_(problem().dimension()),
          corrected_(problem().dimension()) {}

    std::optional<MethodPromise> promise() const override { return plan_.promise; }

  private:
    using Correction = EpochPlan::Correction;

    ConstView find_estimate(Cost& cost) override {
        if (plan_.epoch == 0 ? iteration() == 0 : iteration() % plan_.epoch == 0) {
            copy(point(), anchor_);
            const bool done = plan_.anchor.whole
                                  ? estimate_.begin(Batch{}, point(), cost)
                                  : estimate_.begin(draws_, plan_.anchor.samples, point(), cost);
            return done ? estimate_.value() : ConstView{};
        }
        const Batch batch = next_batch();
        if (plan_.correction == Correction::anchored) {
            const bool done = estimate_.correct(batch, anchor_, point(), corrected_, cost);
            return done ? ConstView(corrected_) : ConstView{};
        }
        const bool done = plan_.correction == Correction::hybrid
                              ? estimate_.follow(batch, draw(fresh_draws_, plan_.batch),
                                                 plan_.recursive_share, previous(), point(), cost)
                              : estimate_.follow(batch, plan_.keep ? plan_.keep(iteration()) : 1, previous(),
                                                 point(), cost);
        return done ? estimate_.value() : ConstView{};
    }
    Batch next_batch() {
        const std::uint64_t n = problem().loss->components();
        if (plan_.distinct && n > plan_.batch) return draws_.draw_distinct(plan_.batch);
        return draw(draws_, plan_.batch);
    }
    Movement next_move() const override { return plan_.vary ? plan_.vary(iteration()) : plan_.move; }
    void serialise_rest(StateArchive& archive) override {
        archive.fields(Field{"estimator", estimate_}, Field{"draws", draws_},
                       Field{"fresh draws", fresh_draws_}, Field{"anchor", anchor_});
    }

    EpochPlan plan_;
    GradientEstimate estimate_;
    SampleDraws draws_, fresh_draws_;
    std::vector<Real> anchor_;     // the point of the last large batch
    std::vector<Real> corrected_;  // its estimate, corrected for this point
};

}  // namespace

std::unique_ptr<OfflineMethod> make_epoch_method(const ArgumentReader& arguments, EpochPlan plan) {
    return std::make_unique<EpochMethod>(arguments, std::move(plan));
}

EstimateMethod::EstimateMethod(const ArgumentReader& arguments)
    : problem_(arguments.problem()),
      point_(problem_.start),
      previous_(point_),
      trial_(point_.size()),
      setup_cost_(arguments.setup_cost()),
      largest_batch_(arguments.largest_batch()),
      parameters_(arguments.parameters()) {}

StepStatus EstimateMethod::advance(Cost& cost) {
    if (iteration_ == 0) cost += setup_cost_;
    const ConstView estimate = find_estimate(cost);
    if (estimate.empty()) {
        copy(previous_, point_);
        return StepStatus::not_finite;
    }
    const Movement move = next_move();
    step_along(point_, -move.step, estimate, trial_);
    problem_.g.prox(trial_, move.prox_step > 0 ? move.prox_step : move.step, trial_, scratch_);
    ++cost.prox;
    if (move.share < 1) {
        for (Index i = 0; i < trial_.size(); ++i) {
            trial_[i] = (1 - move.share) * point_[i] + move.share * trial_[i];
        }
    }
    if (!all_finite(trial_)) return StepStatus::not_finite;
    previous_.swap(point_);
    point_.swap(trial_);
    ++iteration_;
    return StepStatus::moved;
}

void EstimateMethod::serialise(StateArchive& archive) {
    archive.fixed("point", point_);
    archive.fixed("previous", previous_);
    archive.field("iteration", iteration_);
    serialise_rest(archive);
}

AnchorBatch read_anchor(ArgumentReader& arguments, Real factor, std::string_view theorem) {
    AnchorBatch anchor;
    const Real epsilon = arguments.parts().epsilon;
    if (arguments.is_sum()) {
        const std::uint64_t n = arguments.components();
        anchor.samples = arguments.count("anchor", n, "all components");
        anchor.whole = anchor.samples >= n;
    } else if (epsilon > 0 && !arguments.gives("anchor")) {
        anchor.sigma0 = arguments.sigma0();
        const Real wanted = factor * anchor.sigma0 * anchor.sigma0 / (epsilon * epsilon);
        anchor.samples =
            arguments.count("anchor", count_of(wanted),
                            format_short(factor) + " sigma_0^2 / epsilon^2, " + std::string(theorem));
    } else {
        if (arguments.gives("sigma0")) anchor.sigma0 = arguments.sigma0();
        anchor.samples = arguments.count("anchor", kPlainAnchor, "a constant, because no epsilon is given");
    }
    arguments.takes(anchor.samples);
    return anchor;
}

Real PassSchedule::at(Real passes) const {
    switch (kind_) {
        case Decay::constant:
            return step_;
        case Decay::sqrt:
            return step_ / std::sqrt(1 + decay_ * passes);
        case Decay::inverse:
            return step_ / (1 + decay_ * passes);
        case Decay::epoch:
            return step_ / (1 + decay_ * std::floor(passes));
    }
    return step_;
}

PassSchedule read_schedule(ArgumentReader& arguments, Real step, std::string_view source) {
    using Decay = PassSchedule::Decay;
    const Real first = arguments.step(step, source);
    const std::string kind =
        arguments.word("schedule", {"constant", "sqrt", "inverse", "epoch"}, "constant", source);
    if (kind == "constant") return {Decay::constant, first, 0};
    if (kind == "epoch")
        return {Decay::epoch, first, arguments.not_negative("decay", 0.5, "experiments of Pham et al. 2020")};
    return {kind == "sqrt" ? Decay::sqrt : Decay::inverse, first,
            arguments.not_negative("decay", 1, "a constant")};
}

Real passes_of(std::uint64_t iteration, Index batch, const SampledLoss& loss) {
    return static_cast<Real>(iteration) * static_cast<Real>(batch) / static_cast<Real>(pass_samples(loss));
}

}  // namespace proxstream
