/// What a run writes as it goes. An output that failed is closed and reported; the others go on.
#pragma once

#include "io/output_file.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"
#include "run/learn_run.hpp"

#include <optional>
#include <string>

namespace proxstream {

struct LearnRun::Outputs {
    explicit Outputs(const RunHeader& header) : tally(header) {}

    Tally tally;
    std::optional<LedgerWriter> ledger;
    std::optional<OutputFile> predictions;
    std::string line;
};

}  // namespace proxstream
