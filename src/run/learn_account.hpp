/// The account of a run of `learn`: its ledger, the referee's sums, and the regret against other windows.
#pragma once

#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"
#include "run/problem.hpp"

#include <optional>

namespace proxstream {

struct LearnAccount {
    LearnAccount(RunHeader stated, RegretMeter<AnyRegulariser, AnyBatch> windows)
        : header(std::move(stated)), tally(header), meter(std::move(windows)) {}

    /// Adds the stationarity gaps of the other windows at the point played. `extras` gets views of this
    /// account.
    void measure(const RowBlock& record, ConstView played, RoundReport& report, RowExtras& extras);
    void add(const RoundReport& report, const RowExtras& extras);
    /// Starts the account of a fork: its certificate covers the rounds from here, with the window as it is.
    void begin(RunHeader stated);
    void serialise(StateArchive& archive);

    RunHeader header;
    Tally tally;
    RegretMeter<AnyRegulariser, AnyBatch> meter;
    std::optional<LedgerWriter> ledger = {};
    Real regret_bound = 0;  // the bound of C2 on the regret so far
};

}  // namespace proxstream
