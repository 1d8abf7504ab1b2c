/// The certificate for programs.
#include "proxstream/regret/certificate.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN; they are written as strings, as in the ledger.
Json number(Real value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

template <class Value>
Json optional(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json to_object(const Cost& cost) {
    return {{"record_gradients", cost.record_gradients},
            {"record_values", cost.record_values},
            {"passes", cost.passes},
            {"prox", cost.prox}};
}

Json to_object(const RunHeader& header) {
    Json settings = Json::object();
    for (const auto& [key, value] : header.settings) settings[key] = value;
    return {{"dimension", header.dimension},
            {"window", header.window},
            {"step", header.reference_step},
            {"smoothness", optional(header.smoothness)},
            {"step_rule", name(header.step_rule)},
            {"lambda", header.acceptance},
            {"initial_residual", header.initial_residual},
            {"initial_regulariser", number(header.initial_regulariser)},
            {"regulariser_infimum", number(header.regulariser_infimum)},
            {"exit_test", header.exit_test},
            {"max_steps", optional(header.max_steps)},
            {"max_seconds", optional(header.max_seconds)},
            {"settings", std::move(settings)}};
}

Json to_object(const RunSummary& run) {
    Json others = Json::array();
    for (const OtherWindowRegret& other : run.other_windows) {
        others.push_back({{"window", other.window}, {"regret", number(other.regret)}});
    }
    return {{"rounds", run.totals.rounds},
            {"refused", run.totals.refused},
            {"ending", name(run.ending)},
            {"regret", number(run.regret)},
            {"mean_regret", number(run.mean_regret())},
            {"variation", number(run.variation)},
            {"energy", number(run.energy)},
            {"path_length", number(run.path_length)},
            {"updates", run.totals.steps},
            {"tests", run.tests},
            {"quiet", run.quiet},
            {"quiet_share", run.quiet_share()},
            {"budget_exhausted", run.budget_exhausted},
            {"largest_loss", number(run.largest_loss)},
            {"cost", to_object(run.totals.cost)},
            {"referee_cost", to_object(run.totals.referee_cost)},
            {"other_windows", std::move(others)},
            {"prediction_loss", run.prediction_loss ? number(*run.prediction_loss) : Json(nullptr)},
            {"seconds", run.seconds}};
}

Json to_object(const Inequality& each) {
    return {{"id", each.id},
            {"statement", each.statement},
            {"left", number(each.left)},
            {"right", number(each.right)},
            {"slack", number(each.slack)},
            {"margin", number(each.margin())},
            {"identity", each.identity},
            {"round", each.round == 0 ? Json(nullptr) : Json(each.round)},
            {"verdict", name(each.verdict)},
            {"explanation", each.explanation}};
}

Json to_object(const PaperClaim& claim) {
    Json object{{"id", claim.id}, {"statement", claim.statement}, {"applicable", claim.applicable}};
    if (claim.applicable) {
        object["left"] = number(claim.left);
        object["right"] = number(claim.right);
        object["satisfied"] = claim.satisfied;
    }
    object["reason"] = claim.reason;
    return object;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
    Json inequalities = Json::array();
    for (const Inequality& each : certificate.inequalities) inequalities.push_back(to_object(each));
    Json claims = Json::array();
    for (const PaperClaim& claim : certificate.paper_claims) claims.push_back(to_object(claim));
    const Json document{{"run", to_object(certificate.header)}, {"summary", to_object(certificate.summary)},
                        {"sound", certificate.sound()},         {"inequalities", std::move(inequalities)},
                        {"paper_claims", std::move(claims)},    {"conclusion", conclusion(certificate)}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
