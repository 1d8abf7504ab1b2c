/// A tally as saved state: every sum by its name, so that a run that goes on, or whose older rounds were
/// added up and dropped, ends with the very certificate it would have had.
#include "regret/tally.hpp"

namespace proxstream {
namespace {

template <class Parts>
void exchange_list(Checkpoint& checkpoint, std::string_view name, Parts& parts) {
    checkpoint.agree(name, parts.size());
    for (auto& part : parts) checkpoint.part(name, part);
}

void exchange_cost(Checkpoint& checkpoint, std::string_view name, Cost& cost) {
    std::vector<std::uint64_t> counts{cost.record_gradients, cost.record_values, cost.passes, cost.prox,
                                      cost.oracle_calls,     cost.base_samples};
    checkpoint.list(name, counts);
    checkpoint.require(counts.size() == 6, "six counts of cost");
    cost = {counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
}

}  // namespace

void RoundOrder::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("last round", last_);
    checkpoint.exchange("refused", refused_);
}

void WorstRound::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("round", round);
    checkpoint.exchange("left", left);
    checkpoint.exchange("right", right);
    checkpoint.exchange("slack", slack);
    checkpoint.exchange("checked", checked);
    checkpoint.exchange("violations", violations);
    checkpoint.exchange("first violation", first_violation);
    checkpoint.exchange("close", close);
    checkpoint.exchange("unclear", unclear);
    checkpoint.exchange("largest right", largest_right);
    checkpoint.exchange("severity", severity_);
}

void Occurrences::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("count", count);
    checkpoint.exchange("first", first);
}

void CompensatedSum::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("sum", sum_);
    checkpoint.exchange("correction", correction_);
    checkpoint.exchange("magnitude", magnitude_);
    checkpoint.exchange("count", count_);
}

void Departure::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("residual", residual);
    checkpoint.exchange("rounding", rounding);
    checkpoint.exchange("promised", promised);
    checkpoint.exchange("sure", sure);
}

void ResidualSums::exchange(Checkpoint& checkpoint) {
    checkpoint.part("exit test", exit_test);
    checkpoint.part("firm bound", firm_bound);
    checkpoint.part("regret", regret);
    checkpoint.part("regret bound", regret_bound);
    checkpoint.part("variation", variation);
    checkpoint.part("changes", changes);
    checkpoint.part("exits", exits);
    checkpoint.part("promises", promises);
    checkpoint.part("bound", bound);
    checkpoint.part("claimed", claimed);
    checkpoint.exchange("slack", slack);
    checkpoint.exchange("rounding norm", rounding_norm);
    checkpoint.part("exhausted", exhausted);
    checkpoint.part("untested", untested);
    checkpoint.part("blurred", blurred);
    checkpoint.part("unmeasured", unmeasured);
    checkpoint.part("unsure", unsure);
    checkpoint.part("off aim", off_aim);
    checkpoint.exchange("smallest tolerance", smallest_tolerance);
}

void ChurnSums::exchange(Checkpoint& checkpoint) {
    checkpoint.part("path length", path_length);
    checkpoint.part("movement", movement_one);
    checkpoint.exchange("changed", changed);
    checkpoint.exchange("active", active);
    checkpoint.exchange("quiet", quiet);
    checkpoint.part("path", path);
    checkpoint.part("unproved", unproved);
    checkpoint.part("strayed", strayed);
    checkpoint.part("penalty", penalty);
    checkpoint.part("off penalty", off_penalty);
    checkpoint.part("reason", reason);
    checkpoint.part("gaps", gaps);
    checkpoint.part("gap changes", gap_changes);
    checkpoint.exchange("gap slack", gap_slack);
    checkpoint.part("model changes", model_changes);
    checkpoint.exchange("change slack", change_slack);
    checkpoint.exchange("varied tolerance", varied_tolerance);
    checkpoint.exchange("tolerance", tolerance);
    checkpoint.exchange("chained", chained_);
    checkpoint.exchange("left with", left_with_);
    checkpoint.exchange("since", since_);
    checkpoint.exchange("since slack", since_slack_);
}

void EnergySums::exchange(Checkpoint& checkpoint) {
    checkpoint.part("falls", falls);
    checkpoint.part("exchanges", exchanges);
    checkpoint.part("count weight", count_weight);
    checkpoint.part("failures", failures);
    checkpoint.exchange("objective slack", objective_slack);
    checkpoint.exchange("count slack", count_slack);
    checkpoint.exchange("failure slack", failure_slack);
    checkpoint.exchange("largest loss", largest_loss);
    checkpoint.exchange("needed smoothness", needed_smoothness);
    checkpoint.part("decrease", decrease);
    checkpoint.part("outside", outside);
    checkpoint.part("off rule", off_rule);
    checkpoint.exchange("cheap steps", cheap_steps);
    checkpoint.exchange("confirmations", confirmations);
    checkpoint.exchange("failed confirmations", failed_confirmations);
    checkpoint.part("unconfirmed", unconfirmed);
    checkpoint.part("unpaid", unpaid);
    checkpoint.exchange("varied aim", varied_aim);
    bool aimed = aim.has_value();
    Real value = aim.value_or(0);
    checkpoint.exchange("aimed", aimed);
    checkpoint.exchange("aim", value);
    aim = aimed ? std::optional<Real>(value) : std::nullopt;
    checkpoint.exchange("smallest unit", smallest_unit);
    checkpoint.part("uncovered", uncovered);
}

void NoiseSums::exchange(Checkpoint& checkpoint) {
    checkpoint.part("entry", entry);
    checkpoint.part("error", error);
    checkpoint.exchange("needed sigma", needed_sigma);
    checkpoint.part("off level", off_level);
    checkpoint.part("untested", untested);
    checkpoint.exchange("rounding norm", rounding_norm);
    checkpoint.part("first residuals", first_residuals);
    checkpoint.part("first noise", first_noise);
    checkpoint.part("fourth powers", fourth_powers);
    checkpoint.part("kept noise", kept_noise);
    checkpoint.part("levels", levels);
    checkpoint.part("tolerances", tolerances);
    checkpoint.part("update aims", update_aims);
    checkpoint.part("update levels", update_levels);
    checkpoint.exchange("largest level", largest_level);
    checkpoint.exchange("smallest ratio", smallest_ratio);
    checkpoint.exchange("smallest aim", smallest_aim);
    checkpoint.exchange("largest aim", largest_aim);
    checkpoint.part("endless", endless);
    checkpoint.part("weak", weak);
}

void TrackingBound::exchange(Checkpoint& checkpoint) {
    checkpoint.part("unrated", unrated);
    checkpoint.part("outside", outside);
    checkpoint.part("off rule", off_rule);
    checkpoint.part("rising", rising);
    checkpoint.list("expected", expected_);
    checkpoint.require(expected_.empty() || expected_.size() == members_, "a number a member");
    checkpoint.fixed("logarithms", logarithms_);
    exchange_list(checkpoint, "best", best_);
    checkpoint.part("weighted", weighted_);
    checkpoint.part("gap", gap_);
    checkpoint.part("leak", leak_);
    checkpoint.exchange("slack", slack_);
    checkpoint.exchange("smallest share", smallest_share_);
    checkpoint.exchange("inverse rate", inverse_rate_);
    checkpoint.exchange("inverse rates", inverse_rates_);
    checkpoint.exchange("started", started_);
    checkpoint.exchange("constant rate", constant_rate_);
}

void MixtureBound::exchange(Checkpoint& checkpoint) {
    checkpoint.part("off rule", off_rule);
    checkpoint.part("weights", mixture_);
    checkpoint.part("top", top_);
    if (tracking_) checkpoint.part("tracking", *tracking_);
    checkpoint.part("played", played_);
    checkpoint.part("inner gaps", inner_gaps_);
    checkpoint.part("outer gaps", outer_gaps_);
    checkpoint.part("tracked gaps", tracked_gaps_);
    exchange_list(checkpoint, "losses", losses_);
    exchange_list(checkpoint, "slopes", slopes_);
    checkpoint.exchange("slack", slack_);
    checkpoint.exchange("rounds", rounds_);
}

void BankSums::exchange(Checkpoint& checkpoint) {
    const std::size_t members = in_charge.size();
    checkpoint.part("tracking", tracking);
    if (mixture) checkpoint.part("mixture", *mixture);
    exchange_list(checkpoint, "losses", losses);
    exchange_list(checkpoint, "weights", weights);
    checkpoint.part("weighted", weighted);
    checkpoint.part("gaps", gaps);
    checkpoint.exchange("measured", measured);
    checkpoint.list("in charge", in_charge);
    checkpoint.require(in_charge.size() == members, "a count a member");
    checkpoint.exchange("switches", switches);
    checkpoint.part("foreign", foreign);
    checkpoint.part("false losses", false_losses);
    checkpoint.part("restarted", restarted);
    checkpoint.list("ended", ended_);
    checkpoint.require(ended_.size() == members, "a flag a member");
    checkpoint.exchange("last", last_, members == 0 ? 0 : members - 1);
    checkpoint.exchange("started", started_);
}

void Tally::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("rounds", totals_.rounds);
    checkpoint.exchange("refused rounds", totals_.refused);
    checkpoint.exchange("steps", totals_.steps);
    exchange_cost(checkpoint, "cost", totals_.cost);
    exchange_cost(checkpoint, "referee's cost", totals_.referee_cost);
    checkpoint.part("order", order_);
    checkpoint.part("departure", departure_);
    checkpoint.part("rounding", rounding_);
    checkpoint.part("consistency", consistency_);
    checkpoint.exchange("tests", tests_);
    checkpoint.part("loss", loss_);
    checkpoint.part("objective", objective_);
    checkpoint.exchange("infinite", infinite_);
    checkpoint.part("residuals", residuals_);
    checkpoint.part("churn", churn_);
    checkpoint.part("energy", energy_);
    checkpoint.part("noise", noise_);
    checkpoint.agree("bank", bank_ ? 1 : 0);
    if (bank_) checkpoint.part("bank", *bank_);
    exchange_list(checkpoint, "members", members_);
    exchange_list(checkpoint, "other regrets", other_regrets_);
    checkpoint.part("prediction loss", prediction_loss_);
    checkpoint.exchange("predictions", predictions_);
}

}  // namespace proxstream
