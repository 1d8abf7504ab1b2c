#include "offline/fit_certificate.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Objectives are sums of many terms: equal up to this share of what was added up.
constexpr Real kObjectiveRounding = 1e-12;

Real rounding(const MeasuredPoint& a, const MeasuredPoint& b) {
    return kObjectiveRounding *
           (std::abs(a.loss) + std::abs(a.regulariser) + std::abs(b.loss) + std::abs(b.regulariser));
}

/// Whether left <= right, where rounding counts against the claim and, of an expectation, both are known up
/// to `error`.
void decide(FitClaim& claim, Real error) {
    const Real excess = claim.left - claim.right;
    if (error > 0) {
        claim.verdict = excess + error + claim.slack <= 0 ? FitVerdict::likely : FitVerdict::fails;
    } else if (excess + claim.slack <= 0) {
        claim.verdict = FitVerdict::holds;
    } else if (!(excess <= claim.slack)) {
        claim.verdict = FitVerdict::fails;
    } else {
        const bool small = claim.slack <= kSmallSlack * std::abs(claim.right);
        claim.verdict = small ? FitVerdict::holds_to_rounding : FitVerdict::undecided;
        if (!small) claim.note = fmt::format("rounding may have changed the sides by {:.3g}", claim.slack);
    }
}

FitClaim domain_claim(const MeasuredPoint& point) {
    const bool inside = std::isfinite(point.regulariser);
    return {.id = "F1",
            .statement = "x is in dom g: g(x) is finite",
            .left = point.regulariser,
            .right = kInfinity,
            .verdict = inside ? FitVerdict::holds : FitVerdict::fails};
}

FitClaim objective_claim(const MeasuredPoint& start, const MeasuredPoint& point) {
    FitClaim claim{
        .id = "F2", .statement = "F(x) <= F(x_1)", .left = point.objective(), .right = start.objective()};
    claim.slack = rounding(start, point);
    decide(claim, start.loss_error + point.loss_error);
    if (claim.verdict == FitVerdict::fails && point.loss_error > 0 &&
        claim.left - point.loss_error <= claim.right + start.loss_error) {
        claim.verdict = FitVerdict::measured;
        claim.note = "the intervals of the two overlap: the test is too small to tell";
    }
    return claim;
}

FitClaim stationarity_claim(const MeasuredPoint& point, Real epsilon) {
    FitClaim claim{.id = "F3",
                   .statement = epsilon > 0 ? "|P(x; grad f(x))| <= epsilon" : "|P(x; grad f(x))|",
                   .left = point.residual,
                   .right = epsilon};
    claim.slack = point.residual_rounding;
    if (epsilon > 0) decide(claim, point.residual_error);
    if (point.residual_error > 0) {
        claim.note = fmt::format("by an independent batch; the interval is {:.4g} to {:.4g}",
                                 point.residual_low(), point.residual_high());
        if (claim.verdict == FitVerdict::fails && point.residual_low() <= epsilon)
            claim.note += ", too wide to tell: more test samples would";
    }
    return claim;
}

FitClaim decrease_claim(const OfflineResult& result) {
    const Real fallen = result.start.objective() - result.last.objective();
    FitClaim claim{.id = "F4",
                   .statement = "what the accepted steps prove <= F(x_1) - F(x_last)",
                   .left = *result.certified_decrease,
                   .right = fallen};
    claim.slack = rounding(result.start, result.last) +
                  static_cast<Real>(result.iterations) * kUnitRoundoff * std::abs(result.start.objective());
    decide(claim, 0);
    return claim;
}

/// Theory's bound on the mean over all iterations of E|P|^2 at the method's own step. A residual at another
/// step e is at most max(1, step/e) times as large, and at least min(1, step/e) times.
FitClaim promise_claim(const OfflineProblem& problem, const OfflineResult& result, Real lower_bound) {
    const MethodPromise& promise = *result.promise;
    const Real gap = result.start.objective() - lower_bound;
    const Real change = std::max(Real{1}, promise.step / problem.reference_step);
    FitClaim claim{.id = "F5",
                   .statement = "E|P(x_t*)|^2 <= " + promise.theorem,
                   .left = result.random->residual * result.random->residual,
                   .right = change * change *
                            (promise.per_gap * gap / static_cast<Real>(result.iterations) + promise.floor),
                   .verdict = FitVerdict::on_average};
    claim.note = fmt::format("with F(x_1) - inf F <= {:.4g}; the left side is this run's t* = {}", gap,
                             result.random->iteration);
    if (promise.noise_measured) claim.note += "; sigma_0 was measured at the start, not proved";
    return claim;
}

}  // namespace

std::string_view name(FitVerdict verdict) {
    constexpr std::array<std::string_view, 7> kNames{
        "holds", "holds up to rounding", "undecided", "FAILS", "likely", "measured", "on average"};
    return kNames[static_cast<std::size_t>(verdict)];
}

bool FitCertificate::sound() const {
    return std::none_of(claims.begin(), claims.end(),
                        [](const FitClaim& claim) { return claim.verdict == FitVerdict::fails; });
}

std::string usual_output(std::string_view method) {
    return method_row(method).stochastic ? "best" : "last";
}

FitCertificate certify_fit(const OfflineProblem& problem, OfflineResult result,
                           const FitCertificateOptions& options) {
    FitCertificate certificate;
    certificate.status = result.status;
    certificate.method = options.method;
    certificate.output = options.output == "random" && !result.random ? "best" : options.output;
    certificate.reference_step = problem.reference_step;
    certificate.smoothness = problem.smoothness;
    certificate.confidence = options.confidence;
    certificate.exact = problem.loss->knows_f();
    certificate.point = certificate.output == "last"     ? result.last
                        : certificate.output == "random" ? *result.random
                                                         : result.best;
    certificate.claims.push_back(domain_claim(certificate.point));
    certificate.claims.push_back(objective_claim(result.start, certificate.point));
    certificate.claims.push_back(stationarity_claim(certificate.point, options.epsilon));
    if (result.certified_decrease && certificate.exact) certificate.claims.push_back(decrease_claim(result));
    const Real lower_bound = problem.loss->infimum() + infimum(problem.g);
    if (options.fixed_length && result.status == FitStatus::budget_exhausted && result.promise &&
        result.random && result.iterations > 0 && std::isfinite(lower_bound))
        certificate.claims.push_back(promise_claim(problem, result, lower_bound));
    certificate.result = std::move(result);
    return certificate;
}

}  // namespace proxstream
