#include "run/learn_account.hpp"

#include <utility>

namespace proxstream {

void LearnAccount::measure(const RowBlock& record, ConstView played, RoundReport& report, RowExtras& extras) {
    const Cost before = meter.cost();
    meter.measure(record, played);
    report.referee_cost.record_gradients += meter.cost().record_gradients - before.record_gradients;
    report.referee_cost.passes += meter.cost().passes - before.passes;
    report.referee_cost.prox += header.other_windows.size();
    extras.other_gaps = meter.gaps();
}

void LearnAccount::add(const RoundReport& report, const RowExtras& extras) {
    tally.add(report, extras);
    if (report.status == RoundStatus::refused) return;
    const Real bound = report.firm_bound + report.gap_rounding;
    regret_bound += bound * bound;
}

void LearnAccount::begin(RunHeader stated) {
    header = std::move(stated);
    tally = Tally(header);
}

void LearnAccount::serialise(StateArchive& archive) {
    archive.fields(Field{"regret bound", regret_bound}, Field{"tally", tally}, Field{"meter", meter});
}

}  // namespace proxstream
