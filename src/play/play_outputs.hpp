/// What a play writes beside its store.
#pragma once

#include "proxstream/core/error.hpp"

#include "play/play_job.hpp"
#include "play/play_trace.hpp"
#include "play/report_builder.hpp"
#include "regret/ledger_writer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct PlayJob::Outputs {
    std::optional<PlayTrace> trace;
    std::vector<std::optional<LedgerWriter>> ledgers;
    std::optional<ReportBuilder> report;
    std::vector<std::string> problems;

    /// False: an output failed, which is noted; the run ends.
    template <class Write>
    bool guarded(Write write) {
        try {
            write();
            return true;
        } catch (const IoError& error) {
            problems.emplace_back(error.what());
            return false;
        }
    }
    /// An output that failed is closed, and is not written to again.
    template <class Output, class Write>
    void guarded(std::optional<Output>& output, Write write) {
        if (output && !guarded([&] { write(*output); })) output.reset();
    }
};

std::string ledger_path(const std::string& prefix, Index player, const std::string& name);

}  // namespace proxstream
