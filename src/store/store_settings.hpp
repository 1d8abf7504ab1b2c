/// The store of a run: its file, when a turn is safe there, and how many turns are kept.
#pragma once

#include "core/option_table.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

/// When a turn is safe. With every choice a killed program loses no committed turn, and no turn is stored in
/// part.
struct Durability {
    std::uint64_t turns = 100;  // per commit
    bool synchronised = true;   // commits wait for the disk; otherwise a power cut may lose the last ones

    /// Throws ConfigError that names what is allowed.
    static Durability parse(std::string_view text);
};

/// What is kept of old turns.
struct Retention {
    bool ledger_rows = true;  // false: added up as soon as a saved state covers them
    std::optional<std::uint64_t> turns = {};
    std::optional<double> seconds = {};

    bool all_turns() const noexcept { return !turns && !seconds; }
    static Retention parse(std::string_view text);
};

/// Part of the settings of every verb whose run can be resumed.
struct StoreSettings {
    std::string store;            // a file; empty: none
    std::string durable = "100";  // round, a number of turns, off
    std::string keep = "turns";   // turns, all, a number of turns, or an age: 12h, 7d
};

inline void check_store_file(const std::string& path) {
    if (path == "-") throw ConfigError("store = -: must be a file");
}
inline void check_durable(const std::string& text) {
    Durability::parse(text);
}
inline void check_keep(const std::string& text) {
    Retention::parse(text);
}

template <class S>
auto store_options() {
    using Row = OptionRow<S>;
    return std::array{
        checked(Row{"store", "", "Store", "FILE",
                    "store the run in this file; after a stop or a kill, 'proxstream resume' continues it",
                    &S::store},
                check_store_file),
        checked(
            Row{"durable", "", "Store", "round|N|off",
                "write to the disk after every turn, after every N turns, or without waiting for the disk",
                &S::durable},
            check_durable),
        checked(
            Row{"keep", "", "Store", "turns|all|N|AGE",
                "turns: keep decision and figures of each turn, and of ledger rows only their sums (the same "
                "certificate, no ledger to export); all: ledger rows too (0.7 KB a round, 5 KB with the "
                "automatic window); N or AGE (12h, 7d): the same for newer turns alone",
                &S::keep},
            check_keep),
    };
}

}  // namespace proxstream
