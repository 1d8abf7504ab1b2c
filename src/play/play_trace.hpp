/// A line a round, as CSV: what the game was like, and each player in it. Figures that are not known are
/// empty.
#pragma once

#include "game/game.hpp"
#include "io/output_file.hpp"
#include "play/round_figures.hpp"

#include <string>

namespace proxstream {

class PlayTrace {
  public:
    /// Every write throws IoError.
    PlayTrace(OutputFile file, const GameDefinition& game);
    /// Goes on with a trace behind its first `bytes` (OutputFile::continue_after).
    PlayTrace(const std::string& path, std::uint64_t bytes)
        : file_(OutputFile::continue_after(path, bytes)) {}
    void write(const RoundFigures& figures);
    void close() { file_.close(); }
    std::uint64_t bytes() { return file_.bytes(); }

  private:
    OutputFile file_;
    std::string line_;
};

}  // namespace proxstream
