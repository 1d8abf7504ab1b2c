/// The paper's time-smoothed method on one loss: each round t = 1 ... T makes a window of w copies of f
/// stationary up to delta/w. Every estimate is fresh, with an independent answer for each copy. An answer is
/// the mean of as many base samples as its deviation requires.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "offline/argument_reader.hpp"
#include "offline/estimators.hpp"
#include "offline/method_rows.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

struct ReductionPlan {
    Real step = 0;                  // eta
    Real delta = 0;                 // of the exit test, |P(y; G)| <= delta/w
    std::uint64_t window = 1;       // w
    std::uint64_t rounds = 1;       // T
    bool filled = false;            // the window holds w copies from the first round on
    bool exact = false;             // f's own gradient
    std::uint64_t samples = 1;      // an answer is the mean of
    std::uint64_t first_index = 1;  // t* is drawn from x_t, t from here ...
    std::uint64_t last_index = 1;   // ... to here
};

class Reduction final : public OfflineMethod {
  public:
    Reduction(const ArgumentReader& arguments, const ReductionPlan& plan)
        : problem_(arguments.problem()),
          plan_(plan),
          gradients_(*problem_.loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          point_(problem_.start),
          previous_(point_),
          estimate_(point_.size()),
          forward_(point_.size()),
          gap_(point_.size()),
          setup_cost_(arguments.setup_cost()),
          parameters_(arguments.parameters()) {}

    /// One test, and a step if it fails.
    StepStatus advance(Cost& cost) override {
        if (round_ > plan_.rounds) return StepStatus::finished;
        if (!begun_) cost += setup_cost_;
        begun_ = true;
        if (!find_estimate(cost)) {
            copy(previous_, point_);
            return StepStatus::not_finite;
        }
        const Real norm_of_mapping =
            prox_gradient_step(problem_.g, point_, estimate_, plan_.step, {forward_, gap_}, scratch_).norm;
        ++cost.prox;
        if (norm_of_mapping <= plan_.delta / static_cast<Real>(plan_.window)) {
            between_rounds_ = true;
            ++round_;
            return round_ > plan_.rounds ? StepStatus::finished : StepStatus::moved;
        }
        if (!std::isfinite(norm_of_mapping) || !all_finite(forward_)) return StepStatus::not_finite;
        if (exact_ && norm_of_mapping <= gap_floor(point_, norm(estimate_), plan_.step))
            return StepStatus::stalled;
        previous_.swap(point_);
        point_.swap(forward_);
        between_rounds_ = false;
        return StepStatus::moved;
    }

    ConstView point() const override { return point_; }
    Real step() const override { return plan_.step; }
    std::uint64_t largest_batch() const override {
        const Real samples = static_cast<Real>(plan_.window) * static_cast<Real>(plan_.samples);
        const std::uint64_t n = problem_.loss->components();
        return plan_.exact || (n > 0 && count_of(samples) >= n) ? n : count_of(samples);
    }
    bool candidate() const override {
        return between_rounds_ && round_ >= plan_.first_index && round_ <= plan_.last_index;
    }
    std::vector<MethodParameter> parameters() const override { return parameters_; }

    void serialise(StateArchive& archive) override {
        archive.fixed("point", point_);
        archive.fixed("previous", previous_);
        archive.fields(Field{"round", round_}, Field{"between rounds", between_rounds_},
                       Field{"begun", begun_}, Field{"draws", draws_});
    }

  private:
    /// G = (copies/w) times the mean of the copies' answers. If they need as many samples as a sum has, the
    /// sum itself is better and cheaper.
    bool find_estimate(Cost& cost) {
        const std::uint64_t copies = plan_.filled ? plan_.window : std::min(round_, plan_.window);
        const std::uint64_t samples = count_of(static_cast<Real>(copies) * static_cast<Real>(plan_.samples));
        const std::uint64_t n = problem_.loss->components();
        exact_ = plan_.exact || (n > 0 && samples >= n);
        bool finite = false;
        if (exact_) {
            finite = gradients_.mean({}, point_, estimate_, cost);
            cost.oracle_calls += copies;
        } else {
            finite = gradients_.mean_of_draws(draws_, samples, copies, point_, estimate_, cost);
        }
        if (copies < plan_.window)
            scaled(static_cast<Real>(copies) / static_cast<Real>(plan_.window), estimate_, estimate_);
        return finite;
    }

    const OfflineProblem& problem_;
    ReductionPlan plan_;
    BatchGradients gradients_;
    SampleDraws draws_;
    std::vector<Real> point_, previous_;
    std::vector<Real> estimate_, forward_, gap_;  // of the test
    std::uint64_t round_ = 1;                     // t
    bool between_rounds_ = true;                  // point() is x_t
    bool begun_ = false;
    bool exact_ = false;  // the last estimate was f's own gradient
    Cost setup_cost_;
    std::vector<MethodParameter> parameters_;
    Scratch scratch_;
};

/// Inputs of both parameter sets.
struct Wanted {
    Real epsilon = 0;     // of |P|
    Real smoothness = 0;  // L
    Real sigma = 0;       // of the paper's oracle: an answer's deviation is sigma/w
};

/// Corollary 1 as it stands, units and all. Its delta violates Theorem 5 unless eta > 1/sqrt 2
/// (docs/theory.md, errata), so rounds may never end.
ReductionPlan as_stated(ArgumentReader& arguments, const Wanted& wanted) {
    constexpr std::string_view kSource = "Corollary 1 as stated";
    ReductionPlan plan;
    const Real longest = 1 / (wanted.smoothness + 1);
    plan.step = arguments.step(longest / 2, "half of 1/(L+1), below which Theorem 5 has it");
    const bool given = arguments.gives("delta");
    arguments.require(given || plan.step < longest,
                      "step = " + format_short(plan.step) + " must be below 1/(L+1) = " +
                          format_short(longest) + " for Corollary 1's delta; give delta= or a shorter step");
    const Real left = 1 - plan.step / longest;
    if (wanted.sigma > 0 || given) {
        plan.delta =
            arguments.positive("delta", left > 0 ? std::sqrt(2 * plan.step / left) * wanted.sigma : 0,
                               "delta^2 = 2 eta sigma^2/(1 - eta (L+1)), Corollary 1 as stated");
    } else {
        plan.delta = arguments.positive("delta", wanted.epsilon,
                                        "epsilon: without noise Corollary 1's is 0, at which no round ends");
    }
    if (arguments.gives("w")) {
        plan.window = arguments.count("w", 1, "");
    } else {
        Real slope = 0;
        if (!arguments.gives("variation")) slope = arguments.noise().gradient;
        const Real variation = arguments.not_negative(
            "variation", std::isfinite(slope) ? 3 * slope * slope : 0,
            "c of V_w[T] <= c T/6: 3 |grad f|^2 as measured at the start, for a bound over all x");
        const Real squares = plan.delta * plan.delta + 7 * wanted.sigma * wanted.sigma + variation;
        plan.window = arguments.count("w", count_of(2 * std::sqrt(squares) / wanted.epsilon),
                                      "2 sqrt((delta^2 + 7 sigma^2 + c)/eps), Corollary 1 as stated");
    }
    plan.rounds = arguments.count("T", 2 * plan.window, kSource);
    plan.first_index = plan.window;
    plan.last_index = plan.rounds;
    return plan;
}

/// With noise of G below sigma/w: every round ends, and every x_t of a full window has |P| <= (delta +
/// sigma)/w <= epsilon (docs/theory.md, errata of Corollary 1).
ReductionPlan corrected(ArgumentReader& arguments, const Wanted& wanted) {
    ReductionPlan plan;
    plan.step = arguments.step(1 / wanted.smoothness, "1/L");
    const Real c = 1 - plan.step * wanted.smoothness / 2;
    arguments.require(c > 0 || (arguments.gives("delta") && arguments.gives("w")),
                      "step = " + format_short(plan.step) + " must be below 2/L = " +
                          format_short(2 / wanted.smoothness) + "; give delta= and w= or a shorter step");
    plan.filled = arguments.word("filled", {"yes", "no"}, "yes",
                                 "a window that begins filled needs one round") == "yes";
    const Real wanted_window = c > 0 && wanted.epsilon > 0 ? (1 + 2 / c) * wanted.sigma / wanted.epsilon : 1;
    plan.window = arguments.count(
        "w", count_of(wanted_window),
        "(1 + 2/c) sigma/sqrt(eps), c = 1 - eta L/2, Corollary 1 corrected, for noise that is bounded");
    if (wanted.sigma > 0) {
        plan.delta = arguments.positive(
            "delta", c > 0 ? 2 * wanted.sigma / c : 0,
            "2 sigma/c, c = 1 - eta L/2, Corollary 1 corrected, for noise that is bounded");
    } else {
        plan.delta = arguments.positive("delta", wanted.epsilon * static_cast<Real>(plan.window),
                                        "w epsilon: without noise the test is that of epsilon itself");
    }
    plan.rounds = arguments.count("T", plan.filled ? 1 : plan.window + 1, "Corollary 1 corrected");
    plan.first_index = plan.filled ? 2 : plan.window + 1;
    plan.last_index = plan.rounds + 1;
    return plan;
}

/// The number of base samples of an answer. Literally its deviation is sigma/w; for independent answers
/// sigma/sqrt(w) gives the same noise of their mean.
void read_samples(ArgumentReader& arguments, const Wanted& wanted, Real sigma0, bool paper,
                  ReductionPlan& plan) {
    const std::string unit =
        arguments.word("answers", {"literal", "independent"}, paper ? "literal" : "independent",
                       paper ? "S_{sigma/w}, as stated" : "S_{sigma/sqrt w}: the same noise of their mean");
    const Real window = static_cast<Real>(plan.window);
    const Real ratio = wanted.sigma > 0 ? sigma0 / wanted.sigma : 0;
    plan.samples =
        arguments.count("samples", count_of(ratio * ratio * (unit == "literal" ? window * window : window)),
                        unit == "literal" ? "(sigma_0 w/sigma)^2" : "(sigma_0/sigma)^2 w");
    const Real estimate = window * static_cast<Real>(plan.samples);
    const Real n = static_cast<Real>(arguments.components());
    const bool whole = n > 0 && estimate >= n;
    arguments.note("base samples an estimate", whole ? n : estimate,
                   whole ? "the whole sum: w answers would take more" : "w answers of `samples` each");
    arguments.note("deviation of an answer", sigma0 / std::sqrt(static_cast<Real>(plan.samples)),
                   "sigma_0/sqrt(samples)");
}

}  // namespace

MadeMethod make_reduction(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const bool paper = arguments.word("parameters", {"paper", "corrected"}, "corrected",
                                      "those under which the claim holds") == "paper";
    arguments.require(parts.epsilon > 0 || (arguments.gives("w") && arguments.gives("delta")),
                      "its parameters follow from epsilon: give one above 0, or w= and delta=");
    Wanted wanted{.epsilon = parts.epsilon, .smoothness = arguments.mean_smoothness()};
    const bool given_exact = arguments.gives("sigma") && spec.number_or(Spec::kByNameOnly, "sigma", 0) == 0;
    arguments.require(!given_exact || parts.problem.loss->knows_f(),
                      "sigma = 0 needs exact gradients, which an expectation does not have");
    const Real sigma0 = given_exact ? 0 : arguments.sigma0();
    wanted.sigma = arguments.not_negative("sigma", sigma0, "sigma_0: the paper's oracle is one base sample");
    ReductionPlan plan = paper ? as_stated(arguments, wanted) : corrected(arguments, wanted);
    if (given_exact) {
        plan.exact = true;
    } else {
        read_samples(arguments, wanted, sigma0, paper, plan);
    }
    return std::make_unique<Reduction>(arguments, plan);
}

}  // namespace proxstream
