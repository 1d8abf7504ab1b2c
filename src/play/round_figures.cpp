#include "play/round_figures.hpp"

namespace proxstream {

void SeatFigures::serialise(StateArchive& archive) {
    archive.fields(Field{"gap", gap}, Field{"bound", bound}, Field{"instant", instant},
                   Field{"variation", variation}, Field{"regret", regret}, Field{"cost", cost},
                   Field{"steps", steps}, Field{"base samples", base_samples});
}

void RoundFigures::serialise(StateArchive& archive) {
    archive.field("round", round);
    Index players = seats.size();
    archive.field("players", players, std::uint64_t{1} << 32U);
    seats.resize(players);
    for (SeatFigures& seat : seats) archive.section("player", seat);
    archive.fields(Field{"gap", gap}, Field{"gap bound", gap_bound}, Field{"instant gap", instant_gap},
                   Field{"gain", gain}, Field{"gain is exact", gain_exact});
}

}  // namespace proxstream
