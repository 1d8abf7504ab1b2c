/// The rows of turns, alarms and series: how they are sealed, written and read.
#pragma once

#include "store/database.hpp"
#include "store/journal.hpp"
#include "store/run_store.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

std::string figure_bytes(std::span<const Real> figures);

/// Throws DataError if the row's seal does not fit. Columns: turn, time, key, input, decision, figures, seal.
StoredTurn read_turn(const Statement& row, const std::string& path);
inline constexpr const char* kTurnColumns = "turn, time, key, input, decision, figures, seal";

/// Prepared once, for a writer of many turns.
class TurnWriter {
  public:
    explicit TurnWriter(Database& database);
    void write(const StoredTurn& turn);

  private:
    Statement insert_;
};

void write_alarm(Database& database, Turn turn, const StoredAlarm& alarm);
std::vector<std::pair<Turn, StoredAlarm>> read_alarms(Database& database);

class SeriesWriter {
  public:
    explicit SeriesWriter(Database& database);
    /// Buckets that have changed since the series was settled.
    void write(const Series& series);

  private:
    Statement bucket_;
    Statement beyond_;
};
Series read_series(Database& database, Index channels);

}  // namespace proxstream
