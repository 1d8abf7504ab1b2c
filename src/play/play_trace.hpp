/// Writes a CSV line for each round: figures of the game, then of each player. Unknown figures are empty.
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
    /// Continues a trace after its first `bytes` (OutputFile::continue_after).
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
