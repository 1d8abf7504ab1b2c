#include "store/turn_batch.hpp"

#include "store/store_file.hpp"

namespace proxstream {
namespace {

constexpr std::int64_t kStatesKept = 2;

}  // namespace

BatchWriter::BatchWriter(Database& database)
    : database_(database),
      line_(database, "INSERT INTO ledger (place, turn, line, seal) VALUES (?1, ?2, ?3, ?4)"),
      stored_line_(database, "SELECT turn, line FROM ledger WHERE place = ?1"),
      turn_(database),
      series_(database),
      state_(database, "INSERT OR REPLACE INTO states (turn, state) VALUES (?1, ?2)"),
      older_states_(
          database,
          "DELETE FROM states WHERE turn NOT IN (SELECT turn FROM states ORDER BY turn DESC LIMIT ?1)") {}

void BatchWriter::write(const TurnBatch& batch, const std::vector<const StoredAccount*>& accounts,
                        const Series& series, const StateRow* state) {
    Transaction transaction(database_);
    for (const StoredAccount* account : accounts) write_account(database_, *account);
    for (const PendingLine& line : batch.lines) {
        const std::uint64_t place = ledger_place(line.account, line.line);
        line_.reset()
            .bind(1, place)
            .bind(2, line.turn)
            .bind(3, line.text)
            .bind(4, RowSeal().add(place).add(line.turn).add(line.text).value())
            .run();
    }
    for (const StoredTurn& turn : batch.turns) turn_.write(turn);
    for (const auto& [turn, alarm] : batch.alarms) write_alarm(database_, turn, alarm);
    series_.write(series);
    for (const auto& [name, value] : batch.facts) write_fact(database_, name, value);
    if (state != nullptr) {
        state_.reset().bind(1, state->turn).bind(2, state->bytes).run();
        older_states_.reset().bind(1, kStatesKept).run();
    }
    transaction.commit();
}

bool BatchWriter::same(const PendingLine& line) {
    stored_line_.reset().bind(1, ledger_place(line.account, line.line));
    const bool found =
        stored_line_.step() && stored_line_.count(0) == line.turn && stored_line_.bytes(1) == line.text;
    stored_line_.reset();
    return found;
}

}  // namespace proxstream
