#include "consistency.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

namespace proxstream {

Consistency::Consistency(const RunHeader& header)
    : measured_(!header.noise || header.noise->refereed),
      previous_(header.model == "previous"),
      // By its name: other windows can have an effective length of w too.
      plain_(previous_ && header.window_text == std::to_string(header.window)),
      objective_(header.initial_objective) {}

void Consistency::add(const RunHeader& rules, const RoundReport& report, const Departure& from) {
    ++checked_;
    if (measured_) {
        add_gaps(rules, report, from);
        add_objectives(rules, report);
    }
    add_distances(rules, report);
}

void Consistency::add_gaps(const RunHeader& rules, const RoundReport& report, const Departure& from) {
    const Real off = report.gap_rounding;
    if (previous_ && std::abs(report.entry_gap - report.forecast_gap) > 2 * off) split_.note(report.round);
    // A prox is non-expansive: |P(x; d) - P(x; d')| <= |d - d'| (Lemma 2, both ways).
    const Real slack = 3 * off + 2 * from.rounding;
    const Real change = report.variation / rules.effective_length;
    if (report.entry_gap < from.gap - change - slack) low_entry_.note(report.round);
    const Real away = std::abs(report.forecast_gap - from.gap);
    if (away > report.forecast_change + slack) model_.note(report.round);
}

void Consistency::add_objectives(const RunHeader& rules, const RoundReport& report) {
    const Real off = report.objective_rounding;
    const bool finite = std::isfinite(report.objective_entry) && std::isfinite(objective_);
    if (finite &&
        std::abs(report.objective_entry - objective_ - report.value_change) > 4 * off + 2 * objective_slack_)
        jump_.note(report.round);
    if (plain_) {
        const Real expected = (report.loss - report.outgoing_loss) / static_cast<Real>(rules.window);
        if (std::abs(report.value_change - expected) > 2 * off) value_change_.note(report.round);
    }
    objective_ = report.objective_exit;
    objective_slack_ = off;
}

void Consistency::add_distances(const RunHeader& rules, const RoundReport& report) {
    // sum e |P_e| <= e_max sqrt(N sum |P_e|^2), by Cauchy and Schwarz.
    if (rules.step_rule != StepRule::none && report.cheap_steps == 0) {
        const Real steps = static_cast<Real>(report.steps);
        const Real squares = report.squared_gaps + steps * lost_to_underflow(1);
        const Real most = report.largest_step * std::sqrt(steps * squares) +
                          steps * root_lost_to_underflow(rules.dimension);
        if (report.path > most * (1 + 1e-9)) path_.note(report.round);
    }
    if (point_norm_ > 0 || report.point_norm > 0) {
        const Real size = point_norm_ + report.point_norm + movement_;
        const Real slack = (64 + static_cast<Real>(rules.dimension)) * kUnitRoundoff * size +
                           lost_to_underflow(rules.dimension);
        if (checked_ > 1 && std::abs(report.point_norm - point_norm_) > movement_ + slack)
            norm_.note(report.round);
    }
    point_norm_ = report.point_norm;
    movement_ = report.movement;
}

std::vector<Consistency::Contradiction> Consistency::contradictions() const {
    std::vector<Contradiction> found;
    const std::array<Contradiction, 7> all{{
        {"R, Rq", "the forecast is the reference window, so both are one gap", split_},
        {"R, d", "R_t is at least r_{t-1} - |v_t|", low_entry_},
        {"Rq, u", "Rq differs from r_{t-1} by at most u_t", model_},
        {"Pe, x", "Pe is Px of the round before plus x", jump_},
        {"x, f, fo", "x is (f - fo)/w", value_change_},
        {"path, N, P2", "path <= e1 sqrt(N P2)", path_},
        {"nx, mv", "|x_t| changes by at most the move", norm_},
    }};
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [](const Contradiction& each) { return static_cast<bool>(each.rounds); });
    return found;
}

void Consistency::serialise(StateArchive& archive) {
    archive.fields(Field{"split", split_}, Field{"low entry", low_entry_}, Field{"model", model_},
                   Field{"jump", jump_}, Field{"value change", value_change_}, Field{"path", path_},
                   Field{"norm", norm_}, Field{"checked", checked_}, Field{"objective", objective_},
                   Field{"objective slack", objective_slack_}, Field{"point norm", point_norm_},
                   Field{"movement", movement_});
}

}  // namespace proxstream
