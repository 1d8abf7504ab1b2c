/// What a store holds, in plain formats.
#pragma once

#include "store/run_store.hpp"

#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace proxstream {

struct ExportOptions {
    std::string what = "ledger";   // ledger, decisions, figures, inputs
    std::string format = "jsonl";  // jsonl, csv, npy
    std::uint64_t account = 0;     // whose ledger
    Turn first = 1;
    Turn last = std::numeric_limits<std::int64_t>::max();
};

/// Throws ConfigError with everything that is not known or does not go together.
void validate(const ExportOptions& options);

/// Hands the bytes to `write` piece by piece, in memory that does not grow with the run (npy: eight bytes a
/// number). A ledger as JSON lines is a ledger: 'proxstream certify' reads it, unless its first rounds are
/// folded. CSV and NumPy files have a column a number; what is not known is empty or NaN.
void export_run(const RunStore& store, const ExportOptions& options,
                const std::function<void(std::string_view)>& write);

}  // namespace proxstream
