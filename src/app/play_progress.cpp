#include "app/play_progress.hpp"

#include "io/standard_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr Index kMostShown = 4;

std::string figure_or_dash(Real value) {
    return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

std::string shortened(const std::string& name) {
    constexpr std::size_t kWidth = 13;
    return name.size() <= kWidth ? name : name.substr(0, kWidth - 1) + ".";
}

}  // namespace

PlayProgress::PlayProgress(const GameDefinition& game, Index every)
    : shown_(std::min<Index>(game.players.size(), kMostShown)), schedule_(every) {
    std::string head =
        fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", "", "gap over", "its", "of this", "best resp.");
    std::string below =
        fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", "round", "windows", "bound", "play", "save");
    for (Index i = 0; i < shown_; ++i) {
        head += fmt::format(" {:^19} |", shortened(game.players[i].name));
        below += fmt::format(" {:>8} {:>10} |", "R", "cost");
    }
    if (shown_ < game.players.size()) head += fmt::format(" and {} more", game.players.size() - shown_);
    eprint("{}\n{}\n", head, below);
}

void PlayProgress::remember(const RoundFigures& figures) {
    const auto keep = [](Real& kept, Real value) {
        if (!std::isnan(value)) kept = value;
    };
    last_.round = figures.round;
    last_.gap_bound = figures.gap_bound;
    keep(last_.gap, figures.gap);
    keep(last_.instant_gap, figures.instant_gap);
    keep(last_.gain, figures.gain);
    last_.seats.resize(figures.seats.size());
    for (Index i = 0; i < figures.seats.size(); ++i) {
        keep(last_.seats[i].gap, figures.seats[i].gap);
        last_.seats[i].cost = figures.seats[i].cost;
    }
}

void PlayProgress::on_round(const RoundFigures& figures) {
    remember(figures);
    if (schedule_.due(figures.round)) print_line();
}

void PlayProgress::finish() {
    if (last_.round != printed_) print_line();
}

void PlayProgress::print_line() {
    std::string line = fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", last_.round, figure_or_dash(last_.gap),
                                   figure_or_dash(last_.gap_bound), figure_or_dash(last_.instant_gap),
                                   figure_or_dash(last_.gain));
    for (Index i = 0; i < shown_; ++i)
        line += fmt::format(" {:>8} {:>10.5g} |", figure_or_dash(last_.seats[i].gap), last_.seats[i].cost);
    eprint("{}\n", line);
    printed_ = last_.round;
}

}  // namespace proxstream::app
