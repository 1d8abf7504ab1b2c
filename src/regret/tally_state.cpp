/// A tally as saved state, so that a resumed run, or one whose old rounds were removed from its store, ends
/// with the same certificate.
#include "regret/tally.hpp"

namespace proxstream {
namespace {

void serialise_cost(StateArchive& archive, std::string_view name, Cost& cost) {
    std::vector<std::uint64_t> counts;
    for (const auto& [key, count] : kCostCounts) counts.push_back(cost.*count);
    archive.list(name, counts);
    archive.require(counts.size() == kCostCounts.size(), "six counts of cost");
    for (Index i = 0; i < counts.size(); ++i) cost.*kCostCounts[i].second = counts[i];
}

}  // namespace

void RoundOrder::serialise(StateArchive& archive) {
    archive.fields(Field{"last round", last_}, Field{"refused", refused_});
}

void WorstRound::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round}, Field{"left", left}, Field{"right", right}, Field{"slack", slack},
                   Field{"checked", checked}, Field{"violations", violations},
                   Field{"first violation", first_violation}, Field{"close", close},
                   Field{"unclear", unclear}, Field{"largest right", largest_right},
                   Field{"severity", severity_});
}

void Occurrences::serialise(StateArchive& archive) {
    archive.fields(Field{"count", count}, Field{"first", first});
}

void CompensatedSum::serialise(StateArchive& archive) {
    archive.fields(Field{"sum", sum_}, Field{"correction", correction_}, Field{"magnitude", magnitude_},
                   Field{"count", count_});
}

void Departure::serialise(StateArchive& archive) {
    archive.fields(Field{"gap", gap}, Field{"rounding", rounding}, Field{"promised", promised},
                   Field{"sure", sure});
}

void GapSums::serialise(StateArchive& archive) {
    archive.fields(Field{"exit test", exit_test}, Field{"firm bound", firm_bound}, Field{"regret", regret},
                   Field{"regret bound", regret_bound}, Field{"variation", variation},
                   Field{"changes", changes}, Field{"exits", exits}, Field{"promises", promises},
                   Field{"bound", bound}, Field{"claimed", claimed}, Field{"slack", slack},
                   Field{"rounding norm", rounding_norm}, Field{"exhausted", exhausted},
                   Field{"untested", untested}, Field{"blurred", blurred}, Field{"unmeasured", unmeasured},
                   Field{"unsure", unsure}, Field{"off target", off_target_gap},
                   Field{"smallest tolerance", smallest_tolerance});
}

void ChurnSums::serialise(StateArchive& archive) {
    archive.fields(Field{"path length", path_length}, Field{"movement", movement_one},
                   Field{"changed", changed}, Field{"active", active}, Field{"quiet", quiet},
                   Field{"path", path}, Field{"unproved", unproved}, Field{"strayed", strayed},
                   Field{"penalty", penalty}, Field{"off penalty", off_penalty}, Field{"reason", reason},
                   Field{"gaps", gaps}, Field{"gap changes", gap_changes}, Field{"gap slack", gap_slack},
                   Field{"forecast changes", forecast_changes}, Field{"change slack", change_slack},
                   Field{"varied tolerance", varied_tolerance}, Field{"tolerance", tolerance},
                   Field{"chained", chained_}, Field{"left with", left_with_}, Field{"since", since_},
                   Field{"since slack", since_slack_});
}

void EnergySums::serialise(StateArchive& archive) {
    archive.fields(Field{"falls", falls}, Field{"value changes", value_changes},
                   Field{"count weight", count_weight}, Field{"failures", failures},
                   Field{"objective slack", objective_slack}, Field{"count slack", count_slack},
                   Field{"failure slack", failure_slack}, Field{"largest loss", largest_loss},
                   Field{"needed smoothness", needed_smoothness}, Field{"decrease", decrease},
                   Field{"outside", outside}, Field{"off rule", off_rule}, Field{"cheap steps", cheap_steps},
                   Field{"confirmations", confirmations}, Field{"failed confirmations", failed_confirmations},
                   Field{"unconfirmed", unconfirmed}, Field{"unpaid", unpaid},
                   Field{"varied target", varied_target_gap});
    bool has_target = target_gap.has_value();
    Real value = target_gap.value_or(0);
    archive.fields(Field{"has target", has_target}, Field{"target", value});
    target_gap = has_target ? std::optional<Real>(value) : std::nullopt;
    archive.fields(Field{"smallest unit", smallest_unit}, Field{"uncovered", uncovered});
}

void NoiseSums::serialise(StateArchive& archive) {
    archive.fields(Field{"entry", entry}, Field{"error", error}, Field{"needed sigma", needed_sigma},
                   Field{"off level", off_level}, Field{"untested", untested},
                   Field{"rounding norm", rounding_norm}, Field{"first gaps", first_gaps},
                   Field{"first noise", first_noise}, Field{"fourth powers", fourth_powers},
                   Field{"kept noise", kept_noise}, Field{"levels", levels}, Field{"tolerances", tolerances},
                   Field{"update targets", update_target_gaps}, Field{"update levels", update_levels},
                   Field{"largest level", largest_level}, Field{"smallest ratio", smallest_ratio},
                   Field{"smallest target", smallest_target_gap}, Field{"largest target", largest_target_gap},
                   Field{"endless", endless}, Field{"weak", weak});
}

void TrackingBound::serialise(StateArchive& archive) {
    archive.fields(Field{"unrated", unrated}, Field{"outside", outside}, Field{"off rule", off_rule},
                   Field{"rising", rising}, Field{"expected", expected_});
    archive.require(expected_.empty() || expected_.size() == members_, "a number a member");
    archive.fixed("logarithms", logarithms_);
    archive.fields(Field{"best", best_}, Field{"weighted", weighted_}, Field{"gap", gap_},
                   Field{"leak", leak_}, Field{"slack", slack_}, Field{"smallest share", smallest_share_},
                   Field{"inverse rate", inverse_rate_}, Field{"inverse rates", inverse_rates_},
                   Field{"started", started_}, Field{"constant rate", constant_rate_});
}

void MixtureBound::serialise(StateArchive& archive) {
    archive.fields(Field{"off rule", off_rule}, Field{"weights", mixture_}, Field{"top", top_});
    if (tracking_) archive.section("tracking", *tracking_);
    archive.fields(Field{"played", played_}, Field{"inner gaps", inner_gaps_},
                   Field{"outer gaps", outer_gaps_}, Field{"tracked gaps", tracked_gaps_},
                   Field{"losses", losses_}, Field{"slopes", slopes_}, Field{"slack", slack_},
                   Field{"rounds", rounds_});
}

void EnsembleSums::serialise(StateArchive& archive) {
    const std::size_t members = active_member.size();
    archive.section("tracking", tracking);
    if (mixture) archive.section("mixture", *mixture);
    archive.fields(Field{"losses", losses}, Field{"weights", weights}, Field{"weighted", weighted},
                   Field{"gaps", gaps}, Field{"measured", measured}, Field{"active members", active_member});
    archive.require(active_member.size() == members, "a count a member");
    archive.fields(Field{"switches", switches}, Field{"foreign", foreign},
                   Field{"false losses", false_losses}, Field{"restarted", restarted},
                   Field{"ended", ended_});
    archive.require(ended_.size() == members, "a flag a member");
    archive.field("last", last_, members == 0 ? 0 : members - 1);
    archive.field("started", started_);
}

void Tally::serialise(StateArchive& archive) {
    archive.fields(Field{"rounds", totals_.rounds}, Field{"refused rounds", totals_.refused},
                   Field{"steps", totals_.steps});
    serialise_cost(archive, "cost", totals_.cost);
    serialise_cost(archive, "referee's cost", totals_.referee_cost);
    archive.fields(Field{"order", order_}, Field{"departure", departure_}, Field{"rounding", rounding_},
                   Field{"consistency", consistency_}, Field{"tests", tests_}, Field{"loss", loss_},
                   Field{"objective", objective_}, Field{"infinite", infinite_}, Field{"gaps", gaps_},
                   Field{"churn", churn_}, Field{"energy", energy_}, Field{"noise", noise_});
    archive.agree("ensemble", ensemble_ ? 1 : 0);
    if (ensemble_) archive.section("ensemble", *ensemble_);
    archive.fields(Field{"members", members_}, Field{"other regrets", other_regrets_},
                   Field{"prediction loss", prediction_loss_}, Field{"predictions", predictions_});
}

}  // namespace proxstream
