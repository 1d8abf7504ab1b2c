/// The certificate of a fit in words, for a terminal, and as JSON.
#include "core/json.hpp"
#include "offline/fit_certificate.hpp"

#include <iterator>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;

void append_point(std::string& out, std::string_view label, const MeasuredPoint& point, bool chosen) {
    out += fmt::format("  {:<8}{:>10} {:>17.12g} {:>11.4e} {}{:>9}  {}\n", label, point.iteration,
                       point.objective(), point.residual,
                       point.residual_error > 0 ? fmt::format("+-{:<9.1e}", point.residual_error) : "",
                       point.nonzeros, chosen ? "<- x" : "");
}

/// NaN and infinity are no JSON numbers.
Json number(Real value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

Json point_json(const MeasuredPoint& point) {
    return {{"iteration", point.iteration},       {"objective", number(point.objective())},
            {"loss", number(point.loss)},         {"regulariser", number(point.regulariser)},
            {"residual", number(point.residual)}, {"residual_error", number(point.residual_error)},
            {"nonzeros", point.nonzeros}};
}

Json cost_json(const Cost& cost, double seconds) {
    return {{"base_samples", cost.base_samples},
            {"calls", cost.oracle_calls},
            {"full_passes", cost.passes},
            {"prox", cost.prox},
            {"seconds", seconds}};
}

}  // namespace

std::string to_text(const FitCertificate& certificate) {
    const OfflineResult& result = certificate.result;
    std::string out = fmt::format("certificate: {} after {} iterations of {}\n", name(certificate.status),
                                  result.iterations, certificate.method);
    out += fmt::format("  residuals at eta = {:.6g}; L = {:.6g} ({})\n", certificate.reference_step,
                       certificate.smoothness.mean, certificate.smoothness.origin);
    out += fmt::format(
        "  {:<8}{:>10} {:>17} {:>11} {}{:>9}\n", "point", "iteration", "F", "|P|",
        certificate.exact ? "" : fmt::format("{:<11}", fmt::format("{:g} %", 100 * certificate.confidence)),
        "nonzeros");
    append_point(out, "start", result.start, false);
    append_point(out, "last", result.last, certificate.output == "last");
    append_point(out, "best", result.best, certificate.output == "best");
    if (result.random) append_point(out, "t*", *result.random, certificate.output == "random");
    out += fmt::format("  {:<4}{:<52} {:>12} {:>12}\n", "", "claim", "left", "right");
    for (const FitClaim& claim : certificate.claims) {
        out += fmt::format("  {:<4}{:<52} {:>12.5g} {:>12.5g}  {}\n", claim.id, claim.statement, claim.left,
                           claim.right, name(claim.verdict));
        if (!claim.note.empty()) out += fmt::format("      {}\n", claim.note);
    }
    out += fmt::format("  method: {} base samples in {} calls and {} whole passes; {} prox; {:.3g} s\n",
                       result.cost.base_samples, result.cost.oracle_calls, result.cost.passes,
                       result.cost.prox, result.seconds);
    out += fmt::format("  referee: {} base samples, {:.3g} s\n", result.referee_cost.base_samples,
                       result.referee_seconds);
    return out;
}

std::string to_json(const FitCertificate& certificate) {
    const OfflineResult& result = certificate.result;
    Json json;
    json["format"] = "proxstream-fit-certificate";
    json["version"] = 1;
    json["status"] = std::string(name(certificate.status));
    json["sound"] = certificate.sound();
    json["method"] = certificate.method;
    json["output"] = certificate.output;
    json["reference_step"] = certificate.reference_step;
    json["smoothness"] = {{"L", number(certificate.smoothness.mean)},
                          {"mean_square", number(certificate.smoothness.mean_square)},
                          {"largest", number(certificate.smoothness.largest)},
                          {"proved", certificate.smoothness.proved},
                          {"origin", certificate.smoothness.origin}};
    json["exact"] = certificate.exact;
    if (!certificate.exact) json["confidence"] = certificate.confidence;
    json["iterations"] = result.iterations;
    if (!result.note.empty()) json["note"] = result.note;
    json["points"]["start"] = point_json(result.start);
    json["points"]["last"] = point_json(result.last);
    json["points"]["best"] = point_json(result.best);
    if (result.random) json["points"]["random"] = point_json(*result.random);
    json["claims"] = Json::array();
    for (const FitClaim& claim : certificate.claims) {
        json["claims"].push_back({{"id", claim.id},
                                  {"statement", claim.statement},
                                  {"left", number(claim.left)},
                                  {"right", number(claim.right)},
                                  {"slack", number(claim.slack)},
                                  {"verdict", std::string(name(claim.verdict))},
                                  {"note", claim.note}});
    }
    json["cost"] = cost_json(result.cost, result.seconds);
    json["referee_cost"] = cost_json(result.referee_cost, result.referee_seconds);
    json["parameters"] = Json::array();
    for (const MethodParameter& parameter : result.parameters) {
        json["parameters"].push_back(
            {{"name", parameter.name}, {"value", parameter.value}, {"source", parameter.source}});
    }
    return json.dump(1) + "\n";
}

}  // namespace proxstream
