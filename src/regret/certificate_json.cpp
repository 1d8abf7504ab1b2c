#include "regret/certificate_json.hpp"

#include "ledger_fields.hpp"

#include <cmath>

namespace proxstream {
namespace {

using Json = OrderedJson;

Json to_object(const Cost& cost) {
    Json object = Json::object();
    for (const auto& [key, count] : kCostCounts) object[std::string(key)] = cost.*count;
    return object;
}

/// Makes an object of what a list of fields names.
class JsonFields {
  public:
    template <class Value>
    void operator()(Key key, const Value& value, const Range& /*range*/ = kAny) {
        object_[std::string(key.name)] = to_json(value);
    }
    template <class Value, class Values>
    void named(Key key, Value value, const Values& /*values*/) {
        object_[std::string(key.name)] = name(value);
    }
    template <class Object, class List>
    void object(Key key, const std::optional<Object>& object, const List& list) {
        if (!object) return;
        JsonFields fields;
        list(fields, *object);
        object_[std::string(key.name)] = fields.take();
    }
    Json take() { return std::move(object_); }

  private:
    template <class Value>
    static Json to_json(const Value& value) {
        return value;
    }
    static Json to_json(Real value) { return json_number(value); }
    template <class Value>
    static Json to_json(const std::optional<Value>& value) {
        return value ? to_json(*value) : Json(nullptr);
    }
    static Json to_json(const NamedTexts& texts) {
        Json object = Json::object();
        for (const auto& [key, text] : texts) object[key] = text;
        return object;
    }

    Json object_ = Json::object();
};

Json to_object(const RunHeader& header) {
    JsonFields fields;
    kHeaderFields(fields, header);
    if (!header.members.empty()) fields("selection", header.selection);
    return fields.take();
}

Json to_object(const EnsembleSummary& ensemble) {
    return {{"mean", ensemble.mean},
            {"active_rounds", ensemble.active_member},
            {"weights", ensemble.weights},
            {"losses", ensemble.losses},
            {"switches", ensemble.switches},
            {"weighted_loss", json_number(ensemble.weighted_loss)},
            {"best", ensemble.best},
            {"restarted", ensemble.restarted},
            {"mean_gap", json_number(ensemble.mean_gap)},
            {"mean_gap_rounds", ensemble.measured}};
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
    if (run.ensemble) object["ensemble"] = to_object(*run.ensemble);
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

}  // namespace

OrderedJson json_number(Real value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

OrderedJson to_object(const std::vector<Inequality>& lines) {
    Json all = Json::array();
    for (const Inequality& each : lines) all.push_back(to_object(each));
    return all;
}

OrderedJson to_object(const PaperClaim& claim) {
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

OrderedJson to_object(const Certificate& certificate) {
    Json claims = Json::array();
    for (const PaperClaim& claim : certificate.paper_claims) claims.push_back(to_object(claim));
    Json document{
        {"run", to_object(certificate.header)}, {"summary", to_object(certificate.summary)},
        {"sound", certificate.sound()},         {"inequalities", to_object(certificate.inequalities)},
        {"paper_claims", std::move(claims)},    {"conclusion", conclusion(certificate)}};
    if (!certificate.members.empty()) {
        Json& members = document["members"] = Json::array();
        for (const Certificate& member : certificate.members) members.push_back(to_object(member));
    }
    return document;
}

std::string json_text(const OrderedJson& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Certificate& certificate) {
    return json_text(to_object(certificate));
}

}  // namespace proxstream
