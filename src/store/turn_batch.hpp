/// Turns that are gathered, and how they get into the file together.
#pragma once

#include "store/account.hpp"
#include "store/database.hpp"
#include "store/journal.hpp"
#include "store/run_store.hpp"
#include "store/turn_rows.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// A row of a ledger on its way.
struct PendingLine {
    std::uint64_t account = 0;
    std::uint64_t line = 0;
    Turn turn = 0;
    std::string text = {};
};

struct TurnBatch {
    std::vector<StoredTurn> turns = {};
    std::vector<PendingLine> lines = {};
    std::vector<std::pair<Turn, StoredAlarm>> alarms = {};
    std::vector<std::pair<std::string, std::string>> facts = {};

    bool empty() const { return turns.empty() && facts.empty(); }
};

/// A state and the turn it was saved after.
struct StateRow {
    Turn turn = 0;
    std::string bytes = {};
};

/// Its statements are prepared once: a commit a turn is the hot path of a service.
class BatchWriter {
  public:
    explicit BatchWriter(Database& database);

    /// In one transaction: everything or nothing. `state`: nullptr, none is due.
    void write(const TurnBatch& batch, const std::vector<const StoredAccount*>& accounts,
               const Series& series, const StateRow* state);
    /// What is stored of the line, held against `line`.
    bool same(const PendingLine& line);

  private:
    Database& database_;
    Statement line_;
    Statement stored_line_;
    TurnWriter turn_;
    SeriesWriter series_;
    Statement state_;
    Statement older_states_;
};

}  // namespace proxstream
