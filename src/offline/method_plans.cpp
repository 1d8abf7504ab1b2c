/// The methods of sampled gradients as plans (offline/estimate_method.hpp), with the parameters of their
/// papers.
#include "offline/estimate_method.hpp"
#include "offline/method_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kPlainBatch = 128;

/// The share 1 - eta L/2 of a step's gain; not positive if steps are too long for a proof.
Real gain(Real step, Real smoothness) {
    return 1 - step * smoothness / 2;
}

/// The plain minibatch bound, for any eta < 2/L. A step along v = grad f + e of gap p lowers F by
/// eta c |p|^2 - eta <e, p> at least, c = 1 - eta L/2, and E<e, p> <= E|e|^2 <= sigma_0^2/b, as p moves by
/// no more than e. With |P|^2 <= 2 |p|^2 + 2 |e|^2 the mean of E|P|^2 is at most
/// 2 Delta/(K eta c) + 2 (1/c + 1) sigma_0^2/b; for eta = 1/L that is 4 L Delta/K + 6 sigma_0^2/b.
Real noise_factor(Real gain) {
    return 2 * (1 / gain + 1);
}

/// G1 for any x = eta Lb < 2/3 and b >= q. Errors are martingales over an epoch, so the sum of E|e|^2 is at
/// most K s^2 + x^2 sum E|p|^2, s^2 = sigma_0^2/B (0 for a whole sum); a step lowers F by
/// eta (1 - x/2) |p|^2 - eta <e, p> at least, and Young's inequality with weight x leaves
/// eta (1 - 3x/2) sum E|p|^2 <= Delta + eta/(2x) K s^2. Last, |P|^2 <= 2 |p|^2 + 2 |e|^2.
std::optional<MethodPromise> spider_promise(const ArgumentReader& arguments, const EpochPlan& plan,
                                            Real smoothness) {
    const Real step = plan.move.step;
    const Real x = step * smoothness;
    const bool noise_known = plan.anchor.whole || plan.anchor.sigma0 > 0;
    if (!arguments.problem().smoothness.proved || !noise_known || x >= 2.0 / 3 || plan.batch < plan.epoch)
        return std::nullopt;
    const Real variance =
        plan.anchor.whole ? 0
                          : plan.anchor.sigma0 * plan.anchor.sigma0 / static_cast<Real>(plan.anchor.samples);
    const Real squares = 2 + 2 * x * x;
    const Real left = 1 - 1.5 * x;
    return MethodPromise{.theorem = "G1",
                         .step = step,
                         .per_gap = squares / (step * left),
                         .floor = variance * (squares / (2 * x * left) + 2),
                         .noise_measured = !plan.anchor.whole && !arguments.gives("sigma0")};
}

/// Factor of the variance of b samples out of n without repetition, (n - b)/(b (n - 1)); 1/b of an
/// expectation.
Real batch_variance(std::uint64_t n, Index batch) {
    if (n == 0) return 1 / static_cast<Real>(batch);
    if (batch >= n) return 0;
    return static_cast<Real>(n - batch) / (static_cast<Real>(batch) * static_cast<Real>(n - 1));
}

/// Batches of both SARAHs: b = m = sqrt n, without repetition.
EpochPlan read_sarah_batches(ArgumentReader& arguments) {
    EpochPlan plan;
    plan.distinct = true;
    plan.anchor = read_anchor(arguments, 17.4, "as SpiderBoost's");
    const Index root = root_batch(plan.anchor.samples, 0.5);
    plan.batch = arguments.count("batch", root, "sqrt of the anchor's, Pham et al. 2020");
    plan.epoch =
        arguments.count("epoch", root + 1, "m + 1 with m the sqrt of the anchor's, Pham et al. 2020");
    return plan;
}

/// PStorm (Xu, Xu 2023): eta_k = eta_0 (4/(k + 4))^(1/3), eta_0 <= 1/(8 Lb).
struct StormSteps {
    Real first = 0;            // eta_0
    Real smoothness = 0;       // Lb
    std::optional<Real> beta;  // where it is given

    Real step_at(std::uint64_t k) const { return first * std::cbrt(4 / (static_cast<Real>(k) + 4)); }
    /// Of the estimate of iteration k + 1.
    Real beta_after(std::uint64_t k) const {
        if (beta) return *beta;
        const Real x = step_at(k) * smoothness;
        const Real wanted = (1 + 24 * x * x - step_at(k + 1) / step_at(k)) / (1 + 4 * x * x);
        return std::min<Real>(1, wanted);  // longer steps than in theory would need more than 1
    }
};

/// The largest gamma for which half of a step's gain is left. With x = eta Lb a step lowers F in the mean by
/// (gamma eta/2) ((1 - gamma x) |p|^2 - |e|^2) at least, and the errors' sum is at most
/// a^2 gamma^2 x^2 sum |p|^2 and noise, a^2 = beta^2/(b (1 - beta^2)): so gamma x + a^2 gamma^2 x^2 <= 1/2.
Real hybrid_share(Real x, Real beta, Index batch) {
    if (beta >= 1) return 1;  // no bound: it is the recursive estimator, and an epoch ends in time
    const Real a2 = beta * beta / (static_cast<Real>(batch) * (1 - beta * beta));
    return std::min<Real>(1, 1 / (x * (1 + std::sqrt(1 + 2 * a2))));
}

MadeMethod make_prox_sgd(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_smoothness();
    const PassSchedule schedule =
        read_schedule(arguments, 1 / (2 * smoothness), "1/(2L), Ghadimi, Lan, Zhang 2016");
    const Real c = gain(schedule.step(), smoothness);
    std::optional<Real> sigma0;
    EpochPlan plan;  // every batch begins an epoch
    std::uint64_t& batch = plan.anchor.samples;
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
    const bool whole = arguments.is_sum() && batch >= arguments.components();
    plan.anchor.whole = whole;
    if (whole) sigma0 = 0;
    if (parts.problem.smoothness.proved && schedule.constant() && c > 0 && sigma0) {
        plan.promise = {.theorem = "plain minibatch bound",
                        .step = schedule.step(),
                        .per_gap = 2 / (schedule.step() * c),
                        .floor = noise_factor(c) * *sigma0 * *sigma0 / static_cast<Real>(batch),
                        .noise_measured = !whole && !arguments.gives("sigma0")};
    }
    plan.vary = [schedule, batch, &loss = *parts.problem.loss](std::uint64_t iteration) {
        return Movement{.step = schedule.at(passes_of(iteration, batch, loss))};
    };
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_prox_svrg(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.largest_smoothness();
    EpochPlan plan{.correction = EpochPlan::Correction::anchored};
    plan.anchor = read_anchor(arguments, 6, "Li, Li 2018: the paper has sums alone");
    plan.batch = arguments.count("batch", root_batch(plan.anchor.samples, 2.0 / 3),
                                 "n^(2/3), n the anchor's, Reddi et al. 2016, Theorem 6");
    plan.epoch = arguments.count("epoch", root_batch(plan.anchor.samples, 1.0 / 3),
                                 "n^(1/3), n the anchor's, Reddi et al. 2016, Theorem 6");
    plan.move.step =
        arguments.step(1 / (3 * smoothness), "1/(3L), L of single samples, Reddi et al. 2016, Theorem 6");
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_prox_svrg_plus(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.largest_smoothness();
    EpochPlan plan{.correction = EpochPlan::Correction::anchored};
    plan.anchor = read_anchor(arguments, 6, "Li, Li 2018, Theorem 1");
    plan.batch = arguments.count("batch", root_batch(plan.anchor.samples, 2.0 / 3),
                                 "B^(2/3), which their bound is best with, Li, Li 2018");
    plan.epoch = arguments.count("epoch", root_batch(plan.batch, 0.5), "sqrt b, Li, Li 2018, Theorem 1");
    plan.move.step =
        arguments.step(1 / (6 * smoothness), "1/(6L), L of single samples, Li, Li 2018, Theorem 1");
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_spiderboost(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    EpochPlan plan;
    plan.anchor = read_anchor(arguments, 17.4, "G1");
    const bool sum = arguments.is_sum();
    const std::uint64_t anchor = plan.anchor.samples;
    const Index root = root_batch(sum ? anchor : (anchor + 1) / 2, 0.5);
    const char* source = sum ? "sqrt of the anchor's, Wang et al. 2019" : "sqrt of half of the anchor's, G1";
    plan.batch = arguments.count("batch", root, source);
    plan.epoch = arguments.count("epoch", root, source);
    plan.move.step =
        arguments.step(1 / ((sum ? 2 : 3) * smoothness), sum ? "1/(2 Lb), Wang et al. 2019" : "1/(3 Lb), G1");
    plan.promise = spider_promise(arguments, plan, smoothness);
    return make_epoch_method(arguments, std::move(plan));
}

// The paper's eta = 2/(4 + L gamma) and gamma = 1/(L sqrt(omega m)) have no units that fit: eta should shrink
// like 1/L, and gamma is a share. Both are read for F/L, whose constant is 1, and a step eta on F/L is one of
// eta/L on F. The adaptive recursion is that of the authors' code, read in the same way. With x = eta L every
// gamma_t (x + x^2 rho sum of the later ones) <= 1 then holds, as descent in the mean requires.

MadeMethod make_sarah(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    EpochPlan plan = read_sarah_batches(arguments);
    const Real omega = 1.5 * batch_variance(arguments.components(), plan.batch);
    const Real gathered = omega * static_cast<Real>(std::max<Index>(plan.epoch, 2) - 1);
    const Real share = arguments.fraction("gamma", gathered > 1 ? 1 / std::sqrt(gathered) : 1,
                                          "min(1, 1/sqrt(omega m)), omega = 3(n-b)/(2b(n-1)), Pham et al. "
                                          "2020, Theorem 8 read for F/L");
    arguments.require(share > 0, "gamma must be positive");
    plan.move.share = share;
    plan.move.step = arguments.step(2 / ((4 + share) * smoothness),
                                    "2/((4 + gamma) Lb), Pham et al. 2020, Theorem 8 read for F/L");
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_sarah_adaptive(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    EpochPlan plan = read_sarah_batches(arguments);
    const Real last = arguments.fraction("gamma", 0.99, "gamma_m, code of Pham et al. 2020");
    arguments.require(last > 0, "gamma must be positive");
    const Real step = arguments.step(1 / (last * smoothness), "1/(gamma_m Lb), code of Pham et al. 2020");
    // The scale of a sweep applies to steps only; shares must not compensate for it.
    const Real x = step / parts.step_scale * smoothness;
    const Real rho = batch_variance(arguments.components(), plan.batch);
    std::vector<Real> shares(plan.epoch);
    Real later = 0;
    for (Index place = plan.epoch; place-- > 0;) {
        shares[place] = std::min(last, 1 / (x + (1 + 2 * x * x) * rho * later));
        later += shares[place];
    }
    arguments.note("gamma_0", shares.front(),
                   "gamma_t = 1/(x + (1 + 2 x^2) rho sum of the later ones), x = eta Lb, rho = "
                   "(n-b)/(b(n-1)): code of Pham et al. 2020, read for F/L");
    plan.vary = [step, shares = std::move(shares)](std::uint64_t iteration) {
        return Movement{.step = step, .share = shares[iteration % shares.size()]};
    };
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_storm(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    StormSteps steps;
    steps.smoothness = arguments.mean_square_smoothness();
    EpochPlan plan{.epoch = 0};
    plan.batch = arguments.count("batch", 64, "a constant: theory allows any");
    plan.anchor.samples =
        arguments.count("first", plan.batch, "as the others, Xu, Xu 2023, Theorem of varying steps");
    plan.anchor.whole = arguments.is_sum() && plan.anchor.samples >= arguments.components();
    steps.first = arguments.step(1 / (8 * steps.smoothness),
                                 "eta_0 = 1/(8 Lb), eta_k = eta_0 (4/(k+4))^(1/3), Xu, Xu 2023");
    if (arguments.gives("beta")) {
        steps.beta = arguments.fraction("beta", 1, "");
    } else {
        arguments.note("beta_0", steps.beta_after(0),
                       "beta_k = (1 + 24 x^2 - eta_{k+1}/eta_k)/(1 + 4 x^2), x = eta_k Lb, Xu, Xu 2023");
    }
    plan.keep = [steps](std::uint64_t k) { return 1 - steps.beta_after(k - 1); };
    plan.vary = [steps](std::uint64_t k) { return Movement{.step = steps.step_at(k)}; };
    return make_epoch_method(arguments, std::move(plan));
}

MadeMethod make_hybrid(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_square_smoothness();
    EpochPlan plan{.correction = EpochPlan::Correction::hybrid};
    plan.anchor = read_anchor(arguments, 17.4, "as SpiderBoost's");
    const Index root = root_batch(plan.anchor.samples, 0.5);
    plan.batch = arguments.count("batch", root, "sqrt of the anchor's, as SpiderBoost's");
    plan.epoch = arguments.count("epoch", root, "sqrt of the anchor's, as SpiderBoost's");
    const Real horizon = static_cast<Real>(plan.anchor.samples) * static_cast<Real>(plan.epoch);
    plan.recursive_share =
        arguments.fraction("beta", 1 - std::min<Real>(1, std::sqrt(static_cast<Real>(plan.batch) / horizon)),
                           "1 - sqrt(b/(B (m+1))), m + 1 the epoch, Tran-Dinh et al. 2022");
    plan.move.step = arguments.step(1 / (2 * smoothness), "1/(2 Lb)");
    const Real x = plan.move.step / parts.step_scale * smoothness;
    plan.move.share =
        arguments.fraction("gamma", hybrid_share(x, plan.recursive_share, plan.batch),
                           "the largest that leaves half of a step's gain: gamma x + beta^2 gamma^2 "
                           "x^2/(b (1 - beta^2)) <= 1/2, x = eta Lb; form of Tran-Dinh et al. 2022");
    arguments.require(plan.move.share > 0, "gamma must be positive");
    return make_epoch_method(arguments, std::move(plan));
}

// Name, usage, source, help, stochastic, random index, maker.
constexpr auto kSampledRows = std::to_array<OfflineMethodRow>({
    {"prox-sgd", "prox-sgd:batch=100,step=0.1,schedule=epoch,decay=0.5",
     "Ghadimi, Lan, Zhang 2016: eta = 1/(2L)",
     "steps along the mean gradient of a batch; sigma0= says how much samples differ", true, true,
     make_prox_sgd},
    {"prox-svrg", "prox-svrg:anchor=10000,batch=464,epoch=22,step=0.1",
     "Reddi, Sra, Poczos, Smola 2016: b = n^(2/3), m = n^(1/3), eta = 1/(3L)",
     "estimates corrected by the gradient at an anchor, which moves up every epoch", true, true,
     make_prox_svrg},
    {"prox-svrg+", "prox-svrg+:anchor=10000,batch=464,epoch=22,step=0.1",
     "Li, Li 2018: b = B^(2/3), m = sqrt b, eta = 1/(6L)",
     "prox-svrg whose anchors may be batches, with parameters of its own", true, true, make_prox_svrg_plus},
    {"spiderboost", "spiderboost:anchor=10000,batch=100,epoch=100,step=0.1",
     "Wang, Ji, Zhou, Liang, Tarokh 2019: b = q = sqrt n, eta = 1/(2 Lb)",
     "a large batch every epoch, corrected in between by differences of gradients of the same "
     "samples at two points",
     true, true, make_spiderboost},
    {"sarah", "sarah:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.8",
     "Pham, Nguyen, Phan, Tran-Dinh 2020 (ProxSARAH), Theorem 8, made free of scale",
     "as spiderboost, with batches without repetition and a step of which only the share gamma "
     "is gone",
     true, true, make_sarah},
    {"sarah-adaptive", "sarah-adaptive:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.99",
     "Pham, Nguyen, Phan, Tran-Dinh 2020, adaptive ProxSARAH as in their code",
     "sarah with shares that grow over an epoch, the last one gamma", true, true, make_sarah_adaptive},
    {"storm", "storm:batch=64,first=64,step=0.1,beta=0.1",
     "Xu, Xu 2023 (PStorm), after Cutkosky, Orabona 2019: eta_k = (4/(k+4))^(1/3)/(8 Lb)",
     "no large batches: the estimate forgets the share beta of its errors in every step", true, true,
     make_storm},
    {"hybrid", "hybrid:anchor=10000,batch=100,epoch=100,beta=0.99,gamma=0.8,step=0.1",
     "Tran-Dinh, Pham, Phan, Nguyen 2022 (hybrid SARAH-SGD): beta = 1 - sqrt(b/(B (m+1)))",
     "sarah's estimate mixed with a fresh batch's gradient", true, true, make_hybrid},
    {"adam", "adam:step=0.001,beta1=0.9,beta2=0.999,floor=1e-8,batch=128,metric=common,schedule=sqrt",
     "Kingma, Ba 2015",
     "gradients averaged and scaled by what they were of late: all by one number, as g is "
     "(metric=coordinates: each by its own, which bends where F is stationary)",
     true, false, make_prox_adam},
    {"reduction", "reduction:parameters=corrected,w=100,T=1,delta=4,sigma=1,samples=100,answers=independent",
     "Hallak, Mertikopoulos, Cevher 2021, Corollary 1, as stated or corrected",
     "the time-smoothed online method on one loss: w answers an estimate, a test of delta/w", true, true,
     make_reduction},
});

}  // namespace

std::span<const OfflineMethodRow> sampled_method_rows() {
    return kSampledRows;
}

}  // namespace proxstream
