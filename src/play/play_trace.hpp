/// Writes a CSV line for each round: figures of the game, then of each player. Unknown figures are empty.
#pragma once

#include "game/game.hpp"
#include "io/output_file.hpp"
#include "play/round_figures.hpp"

#include <string>

namespace proxstream {

class PlayTrace {
  public:
    /// A new file begins with a header. Every write throws IoError.
    PlayTrace(OutputFile file, const GameDefinition& game);
    void write(const RoundFigures& figures);
    void close() { file_.close(); }
    void mark(OutputMarks& marks) { file_.mark(marks); }

  private:
    OutputFile file_;
    std::string line_;
};

}  // namespace proxstream
