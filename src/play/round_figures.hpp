/// The figures of one round of a game, as tables, traces and reports show them.
#pragma once

#include "proxstream/core/state_archive.hpp"

#include "core/not_known.hpp"

#include <vector>

namespace proxstream {

/// Of one player; NaN: unknown in this round.
struct SeatFigures {
    Real gap = kNotKnown;        // R_t, against the window
    Real bound = kNotKnown;      // (delta + sigma + d_t) / w_a, if the theorem applies
    Real instant = kNotKnown;    // the gap of the play alone
    Real variation = kNotKnown;  // d_t
    Real regret = kNotKnown;     // Reg_w so far
    Real cost = kNotKnown;       // f + g at what was played
    std::uint64_t steps = 0;
    std::uint64_t base_samples = 0;

    void serialise(StateArchive& archive);
};

struct RoundFigures {
    Round round = 0;
    std::vector<SeatFigures> seats;
    Real gap = kNotKnown;          // max over players of R_t
    Real gap_bound = kNotKnown;    // max over players of the bounds, if every player has one
    Real instant_gap = kNotKnown;  // of the gaps of the play alone
    Real gain = kNotKnown;         // sum over players of what a best response would save
    bool gain_exact = false;       // false: `gain` is a lower bound

    void serialise(StateArchive& archive);
};

}  // namespace proxstream
