#include "play/round_figures.hpp"

namespace proxstream {

void SeatFigures::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("residual", residual);
    checkpoint.exchange("bound", bound);
    checkpoint.exchange("instant", instant);
    checkpoint.exchange("variation", variation);
    checkpoint.exchange("regret", regret);
    checkpoint.exchange("cost", cost);
    checkpoint.exchange("steps", steps);
    checkpoint.exchange("base samples", base_samples);
}

void RoundFigures::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("round", round);
    Index players = seats.size();
    checkpoint.exchange("players", players, std::uint64_t{1} << 32U);
    seats.resize(players);
    for (SeatFigures& seat : seats) checkpoint.part("player", seat);
    checkpoint.exchange("gap", gap);
    checkpoint.exchange("gap bound", gap_bound);
    checkpoint.exchange("instant gap", instant_gap);
    checkpoint.exchange("gain", gain);
    checkpoint.exchange("gain is exact", gain_exact);
}

}  // namespace proxstream
