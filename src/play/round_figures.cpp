#include "play/round_figures.hpp"

namespace proxstream {

void SeatFigures::serialise(StateArchive& archive) {
    archive.field("gap", gap);
    archive.field("bound", bound);
    archive.field("instant", instant);
    archive.field("variation", variation);
    archive.field("regret", regret);
    archive.field("cost", cost);
    archive.field("steps", steps);
    archive.field("base samples", base_samples);
}

void RoundFigures::serialise(StateArchive& archive) {
    archive.field("round", round);
    Index players = seats.size();
    archive.field("players", players, std::uint64_t{1} << 32U);
    seats.resize(players);
    for (SeatFigures& seat : seats) archive.section("player", seat);
    archive.field("gap", gap);
    archive.field("gap bound", gap_bound);
    archive.field("instant gap", instant_gap);
    archive.field("gain", gain);
    archive.field("gain is exact", gain_exact);
}

}  // namespace proxstream
