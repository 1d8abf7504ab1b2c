/// Exports what a store holds in plain formats.
#pragma once

#include "store/run_store.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace proxstream {

struct ExportOptions {
    std::string what = "ledger";   // ledger, decisions, figures, inputs
    std::string format = "jsonl";  // jsonl, csv, npy
    std::uint64_t account = 0;     // of the ledger
    Turn first = 1;
    Turn last = kAllTurns;
};

/// Throws ConfigError with every violation.
void validate(const ExportOptions& options);

/// Passes the bytes to `write` in pieces. Memory does not grow with the run, except for npy: eight bytes a
/// number. A whole ledger as JSON lines is a ledger that 'proxstream certify' reads, unless its first rounds
/// are folded. Unknown numbers are null in JSON, empty in CSV, and NaN in NumPy files.
void export_run(const RunStore& store, const ExportOptions& options,
                const std::function<void(std::string_view)>& write);

}  // namespace proxstream
