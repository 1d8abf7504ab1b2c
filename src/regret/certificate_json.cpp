/// The certificate for programs.
#include "proxstream/regret/certificate.hpp"

#include "core/json.hpp"
#include "json_number.hpp"

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json optional(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json to_object(const Cost& cost) {
    return {{"record_gradients", cost.record_gradients},
            {"record_values", cost.record_values},
            {"passes", cost.passes},
            {"prox", cost.prox},
            {"oracle_calls", cost.oracle_calls},
            {"base_samples", cost.base_samples}};
}

Json to_object(const NoiseFacts& noise) {
    return {{"oracle", noise.oracle},
            {"variant", noise.variant},
            {"estimator", noise.estimator},
            {"confirm", noise.confirm},
            {"sigma", optional(noise.sigma)},
            {"bounded", noise.bounded},
            {"independent", noise.independent},
            {"origin", noise.origin},
            {"confidence", noise.confidence},
            {"refereed", noise.refereed},
            {"losses_known", noise.losses_known}};
}

Json to_object(const RunHeader& header) {
    Json settings = Json::object();
    for (const auto& [key, value] : header.settings) settings[key] = value;
    Json object{{"name", header.name},
                {"dimension", header.dimension},
                {"window", header.window},
                {"window_text", header.window_text},
                {"effective_length", header.effective_length},
                {"model", header.model},
                {"hysteresis", header.hysteresis},
                {"switching", header.switching},
                {"proximal", header.proximal},
                {"step", header.reference_step},
                {"smoothness", optional(header.smoothness)},
                {"step_rule", name(header.step_rule)},
                {"lambda", header.acceptance},
                {"initial_residual", header.initial_residual},
                {"initial_objective", json_number(header.initial_objective)},
                {"regulariser_infimum", json_number(header.regulariser_infimum)},
                {"prox_scale", header.prox_scale},
                {"exit_test", header.exit_test},
                {"max_steps", optional(header.max_steps)},
                {"max_seconds", optional(header.max_seconds)},
                {"settings", std::move(settings)}};
    if (header.noise) object["noise"] = to_object(*header.noise);
    if (!header.members.empty()) object["play"] = header.play;
    return object;
}

Json to_object(const BankSummary& bank) {
    return {{"mean", bank.mean},
            {"in_charge", bank.in_charge},
            {"weights", bank.weights},
            {"losses", bank.losses},
            {"switches", bank.switches},
            {"weighted_loss", json_number(bank.weighted_loss)},
            {"best", bank.best},
            {"restarted", bank.restarted},
            {"mean_gap", json_number(bank.mean_gap)},
            {"mean_gap_rounds", bank.measured}};
}

Json to_object(const NoiseSummary& noise, bool measured) {
    const auto seen = [measured](Real value) { return measured ? json_number(value) : Json(nullptr); };
    return {{"claimed", json_number(noise.claimed)},
            {"first", seen(noise.first)},
            {"kept", seen(noise.kept)},
            {"endless", noise.endless},
            {"smallest_delta", json_number(noise.smallest_delta)}};
}

Json to_object(const RunSummary& run) {
    const auto measured = [&run](Real value) { return run.measured ? json_number(value) : Json(nullptr); };
    Json others = Json::array();
    for (const OtherWindowRegret& other : run.other_windows) {
        others.push_back({{"window", other.window}, {"regret", json_number(other.regret)}});
    }
    Json object{{"rounds", run.totals.rounds},
                {"refused", run.totals.refused},
                {"ending", name(run.ending)},
                {"regret", measured(run.regret)},
                {"regret_bound", measured(run.regret_bound)},
                {"mean_regret", measured(run.mean_regret())},
                {"variation", measured(run.variation)},
                {"energy", measured(run.energy)},
                {"mean_loss", json_number(run.mean_loss)},
                {"mean_objective", json_number(run.mean_objective)},
                {"path_length", json_number(run.path_length)},
                {"movement_one", json_number(run.movement_one)},
                {"changed", run.changed},
                {"updates", run.totals.steps},
                {"tests", run.tests},
                {"cheap_updates", run.cheap_steps},
                {"confirmations", run.confirmations},
                {"failed_confirmations", run.failed_confirmations},
                {"active", run.active},
                {"quiet", run.quiet},
                {"quiet_share", run.quiet_share()},
                {"budget_exhausted", run.budget_exhausted},
                {"largest_loss", json_number(run.largest_loss)},
                {"cost", to_object(run.totals.cost)},
                {"referee_cost", to_object(run.totals.referee_cost)},
                {"other_windows", std::move(others)},
                {"prediction_loss", run.prediction_loss ? json_number(*run.prediction_loss) : Json(nullptr)},
                {"seconds", run.seconds}};
    if (run.bank) object["bank"] = to_object(*run.bank);
    if (run.noise) object["noise"] = to_object(*run.noise, run.measured);
    return object;
}

Json to_object(const Inequality& each) {
    const bool measured = each.verdict != Verdict::stated;
    Json object{{"id", each.id},
                {"statement", each.statement},
                {"left", measured ? json_number(each.left) : Json(nullptr)},
                {"right", json_number(each.right)},
                {"slack", json_number(each.slack)},
                {"margin", measured ? json_number(each.margin()) : Json(nullptr)},
                {"identity", each.identity},
                {"round", each.round == 0 ? Json(nullptr) : Json(each.round)},
                {"verdict", name(each.verdict)},
                {"explanation", each.explanation}};
    if (each.confidence == 0) object["in_the_mean"] = true;
    if (each.confidence > 0 && each.confidence < 1) object["confidence"] = each.confidence;
    return object;
}

Json to_object(const PaperClaim& claim) {
    Json object{{"id", claim.id}, {"statement", claim.statement}, {"applicable", claim.applicable}};
    if (claim.applicable) {
        object["left"] = json_number(claim.left);
        object["right"] = json_number(claim.right);
        object["satisfied"] = claim.satisfied;
        object["condition"] = claim.condition;
    }
    object["reason"] = claim.reason;
    return object;
}

Json to_object(const Certificate& certificate) {
    Json inequalities = Json::array();
    for (const Inequality& each : certificate.inequalities) inequalities.push_back(to_object(each));
    Json claims = Json::array();
    for (const PaperClaim& claim : certificate.paper_claims) claims.push_back(to_object(claim));
    Json document{{"run", to_object(certificate.header)}, {"summary", to_object(certificate.summary)},
                  {"sound", certificate.sound()},         {"inequalities", std::move(inequalities)},
                  {"paper_claims", std::move(claims)},    {"conclusion", conclusion(certificate)}};
    if (!certificate.members.empty()) {
        Json& members = document["members"] = Json::array();
        for (const Certificate& member : certificate.members) members.push_back(to_object(member));
    }
    return document;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
    return to_object(certificate).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
