#include "store/turn_rows.hpp"

#include "store/store_file.hpp"

#include <cstring>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::int64_t seal_of(Turn turn, std::int64_t time, std::string_view key, std::string_view input,
                     std::string_view decision, std::string_view figures) {
    return RowSeal()
        .add(turn)
        .add(static_cast<std::uint64_t>(time))
        .add(key)
        .add(input)
        .add(decision)
        .add(figures)
        .value();
}

std::int64_t seal_of(Turn turn, const StoredAlarm& alarm) {
    return RowSeal()
        .add(turn)
        .add(alarm.id)
        .add(alarm.raised ? 1 : 0)
        .add(alarm.kind)
        .add(alarm.subject)
        .add(alarm.text)
        .value();
}

}  // namespace

std::string figure_bytes(std::span<const Real> figures) {
    std::string bytes(figures.size() * sizeof(Real), '\0');
    if (!figures.empty()) std::memcpy(bytes.data(), figures.data(), bytes.size());
    return bytes;
}

StoredTurn read_turn(const Statement& row, const std::string& path) {
    StoredTurn turn{.turn = row.count(0),
                    .time = row.integer(1),
                    .key = std::string(row.bytes(2)),
                    .input = std::string(row.bytes(3)),
                    .decision = std::string(row.bytes(4))};
    const std::string_view figures = row.bytes(5);
    if (row.integer(6) != seal_of(turn.turn, turn.time, turn.key, turn.input, turn.decision, figures) ||
        figures.size() % sizeof(Real) != 0) {
        refuse_store(path, fmt::format("turn {} is damaged", turn.turn));
    }
    turn.figures.resize(figures.size() / sizeof(Real));
    if (!figures.empty()) std::memcpy(turn.figures.data(), figures.data(), figures.size());
    return turn;
}

TurnWriter::TurnWriter(Database& database)
    : insert_(database,
              fmt::format("INSERT INTO turns ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", kTurnColumns)) {}

void TurnWriter::write(const StoredTurn& turn) {
    const std::string figures = figure_bytes(turn.figures);
    insert_.reset().bind(1, turn.turn).bind(2, turn.time).bind(4, turn.input).bind(5, turn.decision);
    turn.key.empty() ? insert_.bind_null(3) : insert_.bind(3, turn.key);
    insert_.bind(6, figures)
        .bind(7, seal_of(turn.turn, turn.time, turn.key, turn.input, turn.decision, figures))
        .run();
}

void write_alarm(Database& database, Turn turn, const StoredAlarm& alarm) {
    Statement(database,
              "INSERT INTO alarms (turn, alarm, raised, kind, subject, text, seal) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .bind(1, turn)
        .bind(2, alarm.id)
        .bind(3, std::int64_t{alarm.raised})
        .bind(4, alarm.kind)
        .bind(5, alarm.subject)
        .bind(6, alarm.text)
        .bind(7, seal_of(turn, alarm))
        .run();
}

std::vector<std::pair<Turn, StoredAlarm>> read_alarms(Database& database) {
    Statement rows(database, "SELECT turn, alarm, raised, kind, subject, text, seal FROM alarms ORDER BY id");
    std::vector<std::pair<Turn, StoredAlarm>> alarms;
    while (rows.step()) {
        StoredAlarm alarm{.id = rows.count(1),
                          .raised = rows.integer(2) != 0,
                          .kind = std::string(rows.bytes(3)),
                          .subject = std::string(rows.bytes(4)),
                          .text = std::string(rows.bytes(5))};
        if (rows.integer(6) != seal_of(rows.count(0), alarm))
            refuse_store(database.path(), fmt::format("alarm {} is damaged", alarm.id));
        alarms.emplace_back(rows.count(0), std::move(alarm));
    }
    return alarms;
}

SeriesWriter::SeriesWriter(Database& database)
    : bucket_(database, "INSERT OR REPLACE INTO series (bucket, cells, seal) VALUES (?1, ?2, ?3)"),
      beyond_(database, "DELETE FROM series WHERE bucket >= ?1") {}

void SeriesWriter::write(const Series& series) {
    if (series.touched() == series.buckets()) return;
    for (Index bucket = series.touched(); bucket < series.buckets(); ++bucket) {
        const std::string cells = series.bytes(bucket);
        bucket_.reset()
            .bind(1, bucket)
            .bind(2, cells)
            .bind(3, RowSeal().add(bucket).add(cells).value())
            .run();
    }
    beyond_.reset().bind(1, series.buckets()).run();
}

Series read_series(Database& database, Index channels) {
    Series series(channels);
    Statement rows(database, "SELECT bucket, cells, seal FROM series ORDER BY bucket");
    while (rows.step()) {
        const std::uint64_t bucket = rows.count(0);
        const bool whole = bucket == series.buckets() &&
                           rows.integer(2) == RowSeal().add(bucket).add(rows.bytes(1)).value() &&
                           series.restore(rows.bytes(1));
        if (!whole) refuse_store(database.path(), "its series of figures are damaged");
    }
    series.settle();
    return series;
}

}  // namespace proxstream
