#include "offline/fit_certificate.hpp"

#include "core/rounding.hpp"
#include "regret/certificate_json.hpp"
#include "regret/certificate_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Relative rounding error of an objective, which is a sum of many terms.
constexpr Real kObjectiveRounding = 1e-12;

Real rounding(const MeasuredPoint& a, const MeasuredPoint& b) {
    return kObjectiveRounding *
               (std::abs(a.loss) + std::abs(a.regulariser) + std::abs(b.loss) + std::abs(b.regulariser)) +
           lost_to_underflow(2 * a.x.size());
}

/// Decides left <= right. Rounding counts against the claim. The sides of an expectation are known up to
/// `error`, with the given confidence; the claim must hold on the whole interval.
void decide(Inequality& claim, Real error, Real confidence) {
    claim.verdict = claim.decide(claim.right);
    if (claim.verdict == Verdict::undecided) {
        const bool tiny = claim.slack < kTinySlack;
        claim.verdict = tiny ? Verdict::not_applicable : Verdict::undecided;
        claim.explanation = tiny ? "the figures leave the range of double precision"
                                 : fmt::format("rounding may have changed the sides by {:.3g}", claim.slack);
    }
    if (error > 0) {
        claim.confidence = confidence;
        claim.verdict = claim.left + error + claim.slack <= claim.right ? Verdict::holds : Verdict::violated;
        claim.explanation = fmt::format("with confidence {:g}", confidence);
    }
}

Inequality domain_claim(const MeasuredPoint& point) {
    const bool inside = std::isfinite(point.regulariser);
    return {.id = "F1",
            .statement = "x is in dom g: g(x) is finite",
            .left = point.regulariser,
            .right = kInfinity,
            .verdict = inside ? Verdict::holds : Verdict::violated};
}

Inequality objective_claim(const MeasuredPoint& start, const MeasuredPoint& point, Real confidence) {
    Inequality claim{.id = "F2",
                     .statement = "F(x) <= F(x_1)",
                     .left = point.objective(),
                     .right = start.objective(),
                     .slack = rounding(start, point)};
    decide(claim, start.loss_error + point.loss_error, confidence);
    if (claim.verdict == Verdict::violated && point.loss_error > 0 &&
        claim.left - point.loss_error <= claim.right + start.loss_error) {
        claim.verdict = Verdict::undecided;
        claim.explanation = "the two intervals overlap; take more test samples";
    }
    return claim;
}

Inequality stationarity_claim(const MeasuredPoint& point, const FitCertificateOptions& options) {
    const bool asked = options.epsilon > 0;
    Inequality claim{.id = "F3",
                     .statement = asked ? "|P(x; grad f(x))| <= epsilon" : "|P(x; grad f(x))|",
                     .left = point.gap,
                     .right = options.epsilon,
                     .slack = point.gap_rounding,
                     .explanation = asked ? "" : "measured; no epsilon was given"};
    if (asked) decide(claim, point.gap_error, options.confidence);
    if (point.gap_error > 0) {
        claim.explanation += fmt::format("; by an independent batch, the interval is {:.4g} to {:.4g}",
                                         point.gap_low(), point.gap_high());
        if (claim.verdict == Verdict::violated && point.gap_low() <= options.epsilon)
            claim.explanation += ", which contains epsilon; take more test samples";
    }
    return claim;
}

Inequality decrease_claim(const OfflineResult& result) {
    Inequality claim{.id = "F4",
                     .statement = "proved decrease <= F(x_1) - F(x_last)",
                     .left = *result.certified_decrease,
                     .right = result.start.objective() - result.last.objective()};
    claim.slack = rounding(result.start, result.last) +
                  static_cast<Real>(result.iterations) * kUnitRoundoff * std::abs(result.start.objective());
    decide(claim, 0, 1);
    return claim;
}

/// The theory's bound on the mean over all iterations of E|P|^2 at the method's own step. A gap at another
/// step e is at most max(1, step/e) times as large, and at least min(1, step/e) times.
Inequality promise_claim(const OfflineProblem& problem, const OfflineResult& result, Real lower_bound) {
    const MethodPromise& promise = *result.promise;
    const Real gap = result.start.objective() - lower_bound;
    const Real change = std::max(Real{1}, promise.step / problem.reference_step);
    Inequality claim{.id = "F5",
                     .statement = "E|P(x_t*)|^2 <= " + promise.theorem,
                     .left = result.random->gap * result.random->gap,
                     .right = change * change *
                              (promise.per_gap * gap / static_cast<Real>(result.iterations) + promise.floor),
                     .confidence = 0};
    claim.verdict = claim.left <= claim.right ? Verdict::holds : Verdict::missed;
    claim.explanation = fmt::format(
        "bounds the mean over runs; the left side is this run's t* = {}; F(x_1) - inf F <= {:.4g}",
        result.random->iteration, gap);
    if (promise.noise_measured) claim.explanation += "; sigma_0 was measured at the start, not proved";
    return claim;
}

void append_point(std::string& out, std::string_view label, const MeasuredPoint& point, bool chosen) {
    out += fmt::format("  {:<8}{:>10} {:>17.12g} {:>11.4e} {}{:>9}  {}\n", label, point.iteration,
                       point.objective(), point.gap,
                       point.gap_error > 0 ? fmt::format("+-{:<9.1e}", point.gap_error) : "", point.nonzeros,
                       chosen ? "<- x" : "");
}

OrderedJson point_json(const MeasuredPoint& point) {
    return {{"iteration", point.iteration},    {"objective", json_number(point.objective())},
            {"loss", json_number(point.loss)}, {"regulariser", json_number(point.regulariser)},
            {"gap", json_number(point.gap)},   {"gap_error", json_number(point.gap_error)},
            {"nonzeros", point.nonzeros}};
}

OrderedJson cost_json(const Cost& cost, double seconds) {
    return {{"base_samples", cost.base_samples},
            {"calls", cost.oracle_calls},
            {"full_passes", cost.passes},
            {"prox", cost.prox},
            {"seconds", seconds}};
}

}  // namespace

std::string usual_output(std::string_view method) {
    return method_row(method).stochastic ? "best" : "last";
}

FitCertificate certify_fit(const OfflineProblem& problem, OfflineResult result,
                           const FitCertificateOptions& options) {
    FitCertificate certificate;
    certificate.status = result.status;
    static_cast<FitCertificateOptions&>(certificate) = options;
    if (options.output == "random" && !result.random) certificate.output = "best";
    certificate.reference_step = problem.reference_step;
    certificate.smoothness = problem.smoothness;
    certificate.exact = problem.loss->knows_f();
    certificate.point = certificate.output == "last"     ? result.last
                        : certificate.output == "random" ? *result.random
                                                         : result.best;
    certificate.inequalities.push_back(domain_claim(certificate.point));
    certificate.inequalities.push_back(objective_claim(result.start, certificate.point, options.confidence));
    certificate.inequalities.push_back(stationarity_claim(certificate.point, options));
    if (result.certified_decrease && certificate.exact)
        certificate.inequalities.push_back(decrease_claim(result));
    const Real lower_bound = problem.loss->infimum() + infimum(problem.g);
    if (options.fixed_length && result.status == FitStatus::budget_exhausted && result.promise &&
        result.random && result.iterations > 0 && std::isfinite(lower_bound))
        certificate.inequalities.push_back(promise_claim(problem, result, lower_bound));
    certificate.result = std::move(result);
    return certificate;
}

std::string to_text(const FitCertificate& certificate) {
    const OfflineResult& result = certificate.result;
    std::string out = fmt::format("certificate: {} after {} iterations of {}\n", name(certificate.status),
                                  result.iterations, certificate.method);
    out += fmt::format("  gaps at eta = {:.6g}; L = {:.6g} ({})\n", certificate.reference_step,
                       certificate.smoothness.mean, certificate.smoothness.origin);
    out += fmt::format(
        "  {:<8}{:>10} {:>17} {:>11} {}{:>9}\n", "point", "iteration", "F", "|P|",
        certificate.exact ? "" : fmt::format("{:<11}", fmt::format("{:g} %", 100 * certificate.confidence)),
        "nonzeros");
    append_point(out, "start", result.start, false);
    append_point(out, "last", result.last, certificate.output == "last");
    append_point(out, "best", result.best, certificate.output == "best");
    if (result.random) append_point(out, "t*", *result.random, certificate.output == "random");
    append_table_head(out, "proved");
    for (const Inequality& each : certificate.inequalities) append_inequality(out, each, true);
    out += '\n';
    out += fmt::format("  method: {} base samples in {} calls and {} whole passes; {} prox; {:.3g} s\n",
                       result.cost.base_samples, result.cost.oracle_calls, result.cost.passes,
                       result.cost.prox, result.seconds);
    out += fmt::format("  referee: {} base samples, {:.3g} s\n", result.referee_cost.base_samples,
                       result.referee_seconds);
    return out;
}

std::string to_json(const FitCertificate& certificate) {
    const OfflineResult& result = certificate.result;
    OrderedJson json = OrderedJson::object();
    json["format"] = "proxstream-fit-certificate";
    json["version"] = 1;
    json["status"] = std::string(name(certificate.status));
    json["sound"] = certificate.sound();
    json["method"] = certificate.method;
    json["output"] = certificate.output;
    json["reference_step"] = certificate.reference_step;
    json["smoothness"] = {{"L", json_number(certificate.smoothness.mean)},
                          {"mean_square", json_number(certificate.smoothness.mean_square)},
                          {"largest", json_number(certificate.smoothness.largest)},
                          {"proved", certificate.smoothness.proved},
                          {"origin", certificate.smoothness.origin}};
    json["exact"] = certificate.exact;
    if (!certificate.exact) json["confidence"] = certificate.confidence;
    json["iterations"] = result.iterations;
    if (!result.note.empty()) json["note"] = result.note;
    json["points"] = {{"start", point_json(result.start)},
                      {"last", point_json(result.last)},
                      {"best", point_json(result.best)}};
    if (result.random) json["points"]["random"] = point_json(*result.random);
    json["claims"] = to_object(certificate.inequalities);
    json["cost"] = cost_json(result.cost, result.seconds);
    json["referee_cost"] = cost_json(result.referee_cost, result.referee_seconds);
    json["parameters"] = OrderedJson::array();
    for (const MethodParameter& parameter : result.parameters) {
        json["parameters"].push_back(
            {{"name", parameter.name}, {"value", parameter.value}, {"source", parameter.source}});
    }
    return json_text(json) + "\n";
}

}  // namespace proxstream
