#include "play/play_trace.hpp"

#include "io/row_splitter.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

void add(std::string& line, Real value) {
    line += ',';
    if (!std::isnan(value)) line += fmt::format("{}", value);
}

}  // namespace

PlayTrace::PlayTrace(OutputFile file, const GameDefinition& game) : file_(std::move(file)) {
    if (file_.end().bytes > 0) return;
    constexpr std::array kColumns{"gap",    "bound", "instant", "variation",
                                  "regret", "cost",  "steps",   "samples"};
    line_ = "round,gap,gap_bound,instant_gap,gain";
    for (const GamePlayer& player : game.players) {
        for (const char* column : kColumns) {
            line_ += ',';
            append_csv_field(line_, player.name + " " + column);
        }
    }
    line_ += '\n';
    file_.write(line_);
}

void PlayTrace::write(const RoundFigures& figures) {
    line_.clear();
    line_ += fmt::format("{}", figures.round);
    for (const Real value : {figures.gap, figures.gap_bound, figures.instant_gap, figures.gain})
        add(line_, value);
    for (const SeatFigures& seat : figures.seats) {
        for (const Real value : {seat.gap, seat.bound, seat.instant, seat.variation, seat.regret, seat.cost})
            add(line_, value);
        line_ += fmt::format(",{},{}", seat.steps, seat.base_samples);
    }
    line_ += '\n';
    file_.write(line_);
}

}  // namespace proxstream
