/// The figures of a round report as columns: one table serves writer, reader and checks (docs/ledger.md).
#pragma once

#include "proxstream/core/round_report.hpp"

#include "line_cursor.hpp"

#include <array>
#include <string_view>

namespace proxstream {

inline constexpr Range kAny{};
inline constexpr Range kNonnegative{.nonnegative = true, .infinite = false};
inline constexpr Range kMaybeInfinite{.nonnegative = false, .infinite = true};

struct CountColumn {
    std::string_view key;
    std::uint64_t RoundReport::*figure;
};

struct Column {
    std::string_view key;
    Real RoundReport::*figure;
    Range range;
};

inline constexpr std::array<CountColumn, 5> kCountColumns{{
    {"N", &RoundReport::steps},
    {"Nc", &RoundReport::cheap_steps},
    {"cf", &RoundReport::confirmations},
    {"ff", &RoundReport::failed_confirmations},
    {"ch", &RoundReport::changed},
}};

inline constexpr std::array<Column, 26> kColumns{{
    {"tol", &RoundReport::tolerance, kNonnegative},
    {"aim", &RoundReport::aim, kNonnegative},
    {"R", &RoundReport::entry_residual, kNonnegative},
    {"Rq", &RoundReport::model_residual, kNonnegative},
    {"r", &RoundReport::exit_residual, kNonnegative},
    {"rt", &RoundReport::tested_residual, kNonnegative},
    {"d", &RoundReport::variation, kNonnegative},
    {"B", &RoundReport::firm_bound, kNonnegative},
    {"u", &RoundReport::model_change, kNonnegative},
    {"f", &RoundReport::loss, kAny},
    {"fo", &RoundReport::outgoing_loss, kAny},
    {"x", &RoundReport::exchange, kAny},
    {"g", &RoundReport::regulariser, kMaybeInfinite},
    {"Pe", &RoundReport::objective_entry, kMaybeInfinite},
    {"Px", &RoundReport::objective_exit, kMaybeInfinite},
    {"dec", &RoundReport::certified_decrease, kAny},
    {"P2", &RoundReport::squared_residuals, kNonnegative},
    {"e0", &RoundReport::smallest_step, kNonnegative},
    {"e1", &RoundReport::largest_step, kNonnegative},
    {"mv", &RoundReport::movement, kNonnegative},
    {"mv1", &RoundReport::movement_one, kNonnegative},
    {"path", &RoundReport::path, kNonnegative},
    {"jump", &RoundReport::jump, kNonnegative},
    {"pen", &RoundReport::penalty, kNonnegative},
    {"nx", &RoundReport::point_norm, kNonnegative},
    {"ng", &RoundReport::gradient_norm, kNonnegative},
}};

/// Of runs with sampled gradients; 0 in all others.
inline constexpr std::array<Column, 4> kNoiseColumns{{
    {"Rg", &RoundReport::first_residual, kNonnegative},
    {"n1", &RoundReport::first_noise, kNonnegative},
    {"nk", &RoundReport::kept_noise, kNonnegative},
    {"nl", &RoundReport::noise_level, kNonnegative},
}};

struct BankColumn {
    std::string_view key;
    Real BankRound::*figure;
};

inline constexpr std::array<BankColumn, 3> kBankColumns{{
    {"eps", &BankRound::rate},
    {"al", &BankRound::share},
    {"off", &BankRound::offset},
}};

}  // namespace proxstream
