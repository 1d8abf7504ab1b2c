#include "regret/tally.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "ledger_format.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

EnsembleSums::EnsembleSums(const RunHeader& header)
    : tracking(header.members.size()),
      active_member(header.members.size()),
      losses(header.members.size()),
      weights(header.members.size()),
      ended_(header.members.size()) {
    const Spec selection = Spec::parse(header.selection);
    if (selection.name() == "mean") {
        const bool fresh = header.initial_records == 0;
        mixture.emplace(Mixture::Options::parse(selection), active_member.size(), fresh);
    }
}

void EnsembleSums::add(const RoundReport& report, const EnsembleRound& ensemble) {
    if (mixture) {
        mixture->add(report.round, ensemble, report.loss + report.regulariser);
    } else {
        tracking.add(report.round, {ensemble.weights, ensemble.losses, ensemble.rate, ensemble.share});
    }
    ++active_member[ensemble.active_member];
    if (started_ && ensemble.active_member != last_) ++switches;
    last_ = ensemble.active_member;
    started_ = true;
    Real mean = 0;
    for (Index k = 0; k < losses.size(); ++k) {
        losses[k].add(ensemble.losses[k]);
        weights[k].add(ensemble.weights[k]);
        mean += ensemble.weights[k] * ensemble.losses[k];
    }
    weighted.add(mean);
    if (ensemble.mean_gap) {
        gaps.add(*ensemble.mean_gap * *ensemble.mean_gap);
        ++measured;
    }
    bool ended = false;
    for (Index k = ensemble.points(); k < losses.size(); ++k) {
        const RoundReport& member = ensemble.report(k);
        if (member.status == RoundStatus::refused) {
            ended = true;
            ended_[k] = 1;
        } else if (ended_[k] != 0) {
            // Otherwise a run could leave out the rounds that break a member's bounds.
            throw DataError({"round report", report.round, 0, "key m"},
                            fmt::format("member {} has a report again", k), "none after a round without one");
        } else if (ensemble.losses[k] != member.loss + member.regulariser) {
            false_losses.note(report.round);
        }
    }
    if (ended) restarted.note(report.round);
    const RoundReport& played = ensemble.report(ensemble.active_member);
    if (played.status != RoundStatus::refused &&
        (report.entry_gap != played.entry_gap || (!mixture && report.loss != played.loss))) {
        foreign.note(report.round);
    }
}

Tally::Tally(const RunHeader& header)
    : header_(header),
      rounding_(header),
      departure_{header.initial_gap, 0, header.initial_gap},
      consistency_(header),
      other_regrets_(header.other_windows.size()) {
    validate(header_);
    if (header_.members.empty()) return;
    ensemble_.emplace(header_);
    members_.reserve(header_.members.size());
    for (const RunHeader& member : header_.members) {
        if (member.measured) members_.emplace_back(member);
    }
}

void Tally::add(const RoundReport& report, const RowExtras& extras) {
    constexpr std::string_view kSource = "round report";
    check_row(header_, report, extras, kSource, report.round);
    order_.check(report, kSource, report.round);
    totals_.cost += report.cost;
    totals_.referee_cost += report.referee_cost;
    if (report.status == RoundStatus::refused) {
        ++totals_.refused;
        // The ensemble refuses the round for all members, and pays for it.
        RoundReport none;
        none.round = report.round;
        none.status = RoundStatus::refused;
        for (Tally& member : members_) member.add(none);
        return;
    }
    ++totals_.rounds;
    totals_.steps += report.steps;
    add_played(report, extras);
    judged_ = report;
    if (extras.ensemble != nullptr) {
        add_ensemble(*extras.ensemble);
    } else {
        add_learner();
    }
}

void Tally::add_learner() {
    rounding_.judge(judged_);
    // r_0 was measured where the first round was entered.
    if (totals_.rounds == 1) departure_.rounding = judged_.gap_rounding;
    consistency_.add(header_, judged_, departure_);
    gaps_.add(header_, judged_, departure_);
    departure_ = departure_of(header_, judged_);
    energy_.add(header_, judged_);
    churn_.add(header_, judged_);
    if (header_.noise) noise_.add(header_, judged_);
    // A confirmation by another sample is one more test. An exact confirmation is the test of the next
    // update.
    if (header_.exit_test) tests_ += judged_.steps + 1 + (header_.noise ? judged_.confirmations : 0);
}

void Tally::add_played(const RoundReport& report, const RowExtras& extras) {
    loss_.add(report.loss);
    if (std::isfinite(report.regulariser)) {
        objective_.add(report.loss + report.regulariser);
    } else {
        infinite_ = true;
    }
    for (Index i = 0; i < other_regrets_.size(); ++i) {
        other_regrets_[i].add(extras.other_gaps[i] * extras.other_gaps[i]);
    }
    if (extras.prediction_loss) {
        prediction_loss_.add(*extras.prediction_loss);
        ++predictions_;
    }
}

void Tally::add_ensemble(const EnsembleRound& ensemble) {
    const Tally& played = members_[ensemble.active_member - ensemble.points()];
    const Departure from = played.departure_;
    churn_.add_movement(judged_);
    ensemble_->add(judged_, ensemble);
    tests_ = 0;
    for (Index i = 0; i < members_.size(); ++i) {
        members_[i].add(ensemble.members[i]);
        tests_ += members_[i].tests_;
    }
    if (ensemble.report(ensemble.active_member).status == RoundStatus::refused) return;
    // A member's window bounds its gap, however the member was selected (docs/certificate.md).
    judged_.gap_rounding = played.judged_.gap_rounding;
    judged_.objective_rounding = played.judged_.objective_rounding;
    gaps_.add(played.header_, played.judged_, from);
}

RunFooter Tally::fill_footer(const Closing& closing, RunEnding ending, Real seconds) const {
    RunFooter footer;
    footer.totals = totals_;
    footer.final_regulariser = closing.regulariser;
    footer.final_losses = closing.losses;
    footer.final_weights = closing.weights;
    footer.ending = ending;
    footer.seconds = seconds;
    // Only the ensemble measures time.
    for (Index k = 0; k < closing.members.size(); ++k) {
        footer.members.push_back(k < members_.size() ? members_[k].fill_footer(closing.members[k], ending, 0)
                                                     : RunFooter{});
    }
    return footer;
}

RunFooter Tally::footer(const Closing& closing, RunEnding ending, Real seconds) const {
    RunFooter footer = fill_footer(closing, ending, seconds);
    check_footer(header_, footer, "run footer", 0);
    return footer;
}

}  // namespace proxstream
