/// The table a person watches while a game is played: a line at rounds 1, 2, 4, 8, ... (or every N).
#pragma once

#include "app/drive_run.hpp"
#include "game/game.hpp"
#include "play/round_figures.hpp"

#include <string>
#include <vector>

namespace proxstream::app {

class PlayProgress {
  public:
    /// `every` = 0: at powers of two.
    PlayProgress(const GameDefinition& game, Index every);

    void on_round(const RoundFigures& figures);
    /// The last line, if the run did not end on one.
    void finish();

  private:
    void print_line();
    /// Figures that are measured now and then are shown as of the last time.
    void remember(const RoundFigures& figures);

    Index shown_;  // players with columns of their own
    LineSchedule schedule_;
    Round printed_ = 0;
    RoundFigures last_;
};

}  // namespace proxstream::app
