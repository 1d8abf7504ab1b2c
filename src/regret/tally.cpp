#include "regret/tally.hpp"

#include "ledger_format.hpp"

#include <cmath>

namespace proxstream {

void BankSums::add(const RoundReport& report, const BankRound& bank) {
    tracking.add(report.round, bank);
    ++in_charge[bank.in_charge];
    if (started_ && bank.in_charge != last_) ++switches;
    last_ = bank.in_charge;
    started_ = true;
    const RoundReport& played = bank.members[bank.in_charge];
    if (bank.offset > 0) {
        mixed.note(report.round);
    } else if (report.loss != played.loss || report.entry_residual != played.entry_residual) {
        foreign.note(report.round);
    }
}

Tally::Tally(const RunHeader& header)
    : header_(header),
      departure_{header.initial_residual, 0, header.initial_residual},
      other_regrets_(header.other_windows.size()) {
    header_.validate();
    if (header_.members.empty()) return;
    bank_.emplace(header_.members.size());
    members_.reserve(header_.members.size());
    for (const RunHeader& member : header_.members) members_.emplace_back(member);
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
    if (extras.bank != nullptr) {
        add_bank(report, *extras.bank);
        return;
    }
    residuals_.add(header_, report, departure_);
    departure_ = departure_of(header_, report);
    energy_.add(header_, report);
    churn_.add(header_, report);
    if (header_.noise) noise_.add(header_, report);
    // A confirmation by another sample is one more test; by an exact one it is that of the next update.
    if (header_.exit_test) tests_ += report.steps + 1 + (header_.noise ? report.confirmations : 0);
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

void Tally::add_bank(const RoundReport& report, const BankRound& bank) {
    // Whatever picks the member, its own window bounds its own residual (docs/certificate.md).
    const Index k = bank.in_charge;
    residuals_.add(header_.members[k], bank.members[k], members_[k].departure_);
    churn_.add_movement(report);
    bank_->add(report, bank);
    tests_ = 0;
    for (Index i = 0; i < members_.size(); ++i) {
        members_[i].add(bank.members[i]);
        tests_ += members_[i].tests_;
    }
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
