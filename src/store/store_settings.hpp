/// Where a run keeps itself, how soon it is safe there, and how much of it is kept.
#pragma once

#include "core/option_table.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

/// What a command is told about its store: settings of verbs that can be gone on with are made of these.
struct StoreSettings {
    std::string store;            // a file; empty: nothing is kept
    std::string durable = "100";  // round, a number of turns, off
    std::string keep = "all";     // all, a number of turns, or an age: 12h, 7d
};

template <class S>
auto store_options() {
    using Row = OptionRow<S>;
    return std::array{
        Row{"store", "", "Store", "FILE",
            "keep the run in this file: it can be killed at any instant and gone on with (proxstream resume)",
            &S::store},
        Row{"durable", "", "Store", "round|N|off",
            "on the disk after every turn, after every N turns, or when the system likes", &S::durable},
        Row{"keep", "", "Store", "all|N|AGE",
            "turns kept one by one (all, a number, or an age such as 12h or 7d); older ones are added up",
            &S::keep},
    };
}

/// When what was written is safe. Whatever is chosen, a killed program loses nothing that was committed, and
/// no turn is ever there in part.
struct Durability {
    std::uint64_t turns = 100;  // a commit after so many
    bool synchronised = true;   // waits for the disk; if not, a power cut may cost the last commits

    /// Throws ConfigError that names what is allowed.
    static Durability parse(std::string_view text);
};

struct Retention {
    std::optional<std::uint64_t> turns = {};
    std::optional<double> seconds = {};

    bool all() const noexcept { return !turns && !seconds; }
    static Retention parse(std::string_view text);
};

/// All violations at once, for whoever collects them; throws ConfigError.
void validate(const StoreSettings& settings);

}  // namespace proxstream
