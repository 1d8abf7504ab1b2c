/// ProxSVRG (Reddi, Sra, Poczos, Smola 2016) and ProxSVRG+ (Li, Li 2018): estimates that are corrected by the
/// gradient at an anchor. They differ in their parameters.
#include "offline/estimate_method.hpp"
#include "offline/stochastic_methods.hpp"

#include <utility>

namespace proxstream {
namespace {

struct SvrgPlan {
    Real step = 0;       // eta
    Index batch = 1;     // b
    Index epoch = 1;     // m: iterations from one anchor to the next
    AnchorBatch anchor;  // B
};

class ProxSvrg final : public EstimateMethod {
  public:
    ProxSvrg(const ArgumentReader& arguments, const SvrgPlan& plan)
        : EstimateMethod(arguments),
          plan_(plan),
          estimator_(*problem().loss),
          draws_(arguments.parts().seed, arguments.components(), DrawPurpose::step),
          estimate_(problem().dimension()) {}

  private:
    ConstView find_estimate(Cost& cost) override {
        if (iteration() % plan_.epoch == 0) {
            // At the anchor every batch's correction is nothing: there is none to evaluate.
            if (!plan_.anchor.begin(estimator_, draws_, point(), cost)) return {};
            return estimator_.anchor_gradient();
        }
        if (!estimator_.estimate(draw(draws_, plan_.batch), point(), estimate_, cost)) return {};
        return estimate_;
    }
    Move next_move() const override { return {.step = plan_.step}; }
    void exchange_rest(Checkpoint& checkpoint) override {
        checkpoint.part("estimator", estimator_);
        checkpoint.part("draws", draws_);
    }

    SvrgPlan plan_;
    SvrgEstimator estimator_;
    SampleDraws draws_;
    std::vector<Real> estimate_;
};

}  // namespace

MadeMethod make_prox_svrg(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.largest_smoothness();
    SvrgPlan plan;
    plan.anchor = read_anchor(arguments, 6, "Li, Li 2018: the paper has sums alone");
    plan.batch = arguments.count("batch", root_batch(plan.anchor.samples, 2.0 / 3),
                                 "n^(2/3), n the anchor's, Reddi et al. 2016, Theorem 6");
    plan.epoch = arguments.count("epoch", root_batch(plan.anchor.samples, 1.0 / 3),
                                 "n^(1/3), n the anchor's, Reddi et al. 2016, Theorem 6");
    plan.step =
        arguments.step(1 / (3 * smoothness), "1/(3L), L of single samples, Reddi et al. 2016, Theorem 6");
    return std::make_unique<ProxSvrg>(arguments, plan);
}

MadeMethod make_prox_svrg_plus(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.largest_smoothness();
    SvrgPlan plan;
    plan.anchor = read_anchor(arguments, 6, "Li, Li 2018, Theorem 1");
    plan.batch = arguments.count("batch", root_batch(plan.anchor.samples, 2.0 / 3),
                                 "B^(2/3), which their bound is best with, Li, Li 2018");
    plan.epoch = arguments.count("epoch", root_batch(plan.batch, 0.5), "sqrt b, Li, Li 2018, Theorem 1");
    plan.step = arguments.step(1 / (6 * smoothness), "1/(6L), L of single samples, Li, Li 2018, Theorem 1");
    return std::make_unique<ProxSvrg>(arguments, plan);
}

}  // namespace proxstream
