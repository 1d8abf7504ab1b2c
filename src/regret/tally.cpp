#include "regret/tally.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "ledger_format.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

BankSums::BankSums(const RunHeader& header)
    : tracking(header.members.size()),
      in_charge(header.members.size()),
      losses(header.members.size()),
      weights(header.members.size()),
      ended_(header.members.size()) {
    const Spec selection = Spec::parse(header.play);
    if (selection.name() == "mean") {
        const bool fresh = header.initial_records == 0;
        mixture.emplace(Mixture::Options::parse(selection), in_charge.size(), fresh);
    }
}

void BankSums::add(const RoundReport& report, const BankRound& bank) {
    if (mixture) {
        mixture->add(report.round, bank, report.loss + report.regulariser);
    } else {
        tracking.add(report.round, {bank.weights, bank.losses, bank.rate, bank.share});
    }
    ++in_charge[bank.in_charge];
    if (started_ && bank.in_charge != last_) ++switches;
    last_ = bank.in_charge;
    started_ = true;
    Real mean = 0;
    for (Index k = 0; k < losses.size(); ++k) {
        losses[k].add(bank.losses[k]);
        weights[k].add(bank.weights[k]);
        mean += bank.weights[k] * bank.losses[k];
    }
    weighted.add(mean);
    if (bank.mean_gap) {
        gaps.add(*bank.mean_gap * *bank.mean_gap);
        ++measured;
    }
    bool ended = false;
    for (Index k = bank.points(); k < losses.size(); ++k) {
        const RoundReport& member = bank.report(k);
        if (member.status == RoundStatus::refused) {
            ended = true;
            ended_[k] = 1;
        } else if (ended_[k] != 0) {
            // Else rounds that break a member's own bounds could be left out.
            throw DataError({"round report", report.round, 0, "key m"},
                            fmt::format("member {} has a report again", k), "none after a round without one");
        } else if (bank.losses[k] != member.loss + member.regulariser) {
            false_losses.note(report.round);
        }
    }
    if (ended) restarted.note(report.round);
    const RoundReport& played = bank.report(bank.in_charge);
    if (played.status != RoundStatus::refused &&
        (report.entry_residual != played.entry_residual || (!mixture && report.loss != played.loss))) {
        foreign.note(report.round);
    }
}

Tally::Tally(const RunHeader& header)
    : header_(header),
      rounding_(header),
      departure_{header.initial_residual, 0, header.initial_residual},
      consistency_(header),
      other_regrets_(header.other_windows.size()) {
    header_.validate();
    if (header_.members.empty()) return;
    bank_.emplace(header_);
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
        // A bank refuses as a whole and pays as a whole.
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
    if (extras.bank != nullptr) {
        add_bank(*extras.bank);
    } else {
        add_learner();
    }
}

void Tally::add_learner() {
    rounding_.judge(judged_);
    // r_0 was measured where the first round was entered.
    if (totals_.rounds == 1) departure_.rounding = judged_.residual_rounding;
    consistency_.add(header_, judged_, departure_);
    residuals_.add(header_, judged_, departure_);
    departure_ = departure_of(header_, judged_);
    energy_.add(header_, judged_);
    churn_.add(header_, judged_);
    if (header_.noise) noise_.add(header_, judged_);
    // A confirmation by another sample is one more test; by an exact one it is that of the next update.
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
        other_regrets_[i].add(extras.other_residuals[i] * extras.other_residuals[i]);
    }
    if (extras.prediction_loss) {
        prediction_loss_.add(*extras.prediction_loss);
        ++predictions_;
    }
}

void Tally::add_bank(const BankRound& bank) {
    const Tally& played = members_[bank.in_charge - bank.points()];
    const Departure from = played.departure_;
    churn_.add_movement(judged_);
    bank_->add(judged_, bank);
    tests_ = 0;
    for (Index i = 0; i < members_.size(); ++i) {
        members_[i].add(bank.members[i]);
        tests_ += members_[i].tests_;
    }
    if (bank.report(bank.in_charge).status == RoundStatus::refused) return;
    // Whatever picks the member, its own window bounds its own residual (docs/certificate.md).
    judged_.residual_rounding = played.judged_.residual_rounding;
    judged_.objective_rounding = played.judged_.objective_rounding;
    residuals_.add(played.header_, played.judged_, from);
}

RunFooter Tally::fill_footer(const Closing& closing, RunEnding ending, Real seconds) const {
    RunFooter footer;
    footer.totals = totals_;
    footer.final_regulariser = closing.regulariser;
    footer.final_losses = closing.losses;
    footer.final_weights = closing.weights;
    footer.ending = ending;
    footer.seconds = seconds;
    // The clock is the bank's: its members have none of their own.
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
