/// SQLite as the store uses it: statements, transactions, and errors told apart: IoError for what the
/// system refuses (a full disk), DataError for a file that is damaged, ConfigError for one that is in use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace proxstream {

class Database;

/// A statement, prepared once and run many times. Parameters are counted from 1, columns from 0.
class Statement {
  public:
    Statement(Database& database, std::string_view sql);

    /// Forgets the run before; parameters keep their values.
    Statement& reset();
    Statement& bind(int place, std::int64_t value);
    Statement& bind(int place, std::uint64_t value) { return bind(place, static_cast<std::int64_t>(value)); }
    /// The bytes have to last until the statement has run.
    Statement& bind(int place, std::string_view bytes);
    Statement& bind_text(int place, std::string_view text);
    Statement& bind_null(int place);

    /// True: a row is there.
    bool step();
    /// Runs to the end, for what gives no rows.
    void run();

    std::int64_t integer(int column) const;
    std::uint64_t count(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    /// Valid until the next step.
    std::string_view bytes(int column) const;
    bool null(int column) const;

  private:
    struct Finalise {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

class Database {
  public:
    enum class Access { read, write, create };

    Database(std::string path, Access access);

    void run(const char* sql);
    std::int64_t number(std::string_view sql);
    std::optional<std::string> text(std::string_view sql);

    const std::string& path() const noexcept { return path_; }
    sqlite3* handle() const noexcept { return handle_.get(); }
    /// Throws what the library's present error amounts to.
    [[noreturn]] void fail(const char* action) const;

  private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// Everything or nothing: undone unless it is committed.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

}  // namespace proxstream
