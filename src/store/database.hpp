/// SQLite as run stores use it: statements, transactions, sealed rows, and errors by cause. It throws IoError
/// for what the system refuses (a full disk), DataError for a damaged file.
#pragma once

#include "core/checksum.hpp"
#include "store/packed.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace proxstream {

class Database;

/// Text that is stored as NULL if it is empty.
struct NullableText {
    std::string_view text;
};

/// A statement, prepared once and run many times. SQLite keeps no checksums of rows, so a sealed row has one
/// in its last column, over the columns before it.
class Statement {
  public:
    Statement(Database& database, std::string_view sql);

    /// Resets the statement and binds its parameters in order. Bytes must live until the statement has run.
    template <class... Values>
    Statement& bind(const Values&... values) {
        reset();
        int place = 0;
        (put(++place, values), ...);
        return *this;
    }
    /// Returns true if there is another row.
    bool step();
    /// Binds and runs to the end, for statements without rows.
    template <class... Values>
    void run(const Values&... values) {
        bind(values...);
        run_bound();
    }
    /// The same, with the seal of the values as the last parameter.
    template <class... Values>
    void run_sealed(const Values&... values) {
        run(values..., seal_of(values...));
    }
    void reset();

    /// Copies the columns of the current row, in order.
    template <class... Values>
    void read(Values&&... values) const {
        int column = 0;
        (get(column++, values), ...);
    }
    /// The same for a sealed row. Returns false if the row is damaged.
    template <class... Values>
    bool read_sealed(Values&&... values) const {
        std::int64_t seal = 0;
        read(values..., seal);
        return seal == seal_of(values...);
    }
    std::int64_t integer(int column) const;
    std::uint64_t count(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    /// Valid until the next step.
    std::string_view bytes(int column) const;
    bool null(int column) const;

  private:
    void run_bound();
    void put_integer(int place, std::int64_t value);
    void put(int place, std::string_view bytes);
    void put(int place, NullableText text);
    void put(int place, Packed text);
    void put(int place, const std::vector<double>& numbers) { put(place, bytes_of(numbers)); }
    template <std::integral Integer>
    void put(int place, Integer value) {
        put_integer(place, static_cast<std::int64_t>(value));
    }

    void get(int column, std::string& value) const { value = bytes(column); }
    void get(int column, Unpacked value) const { value.bytes = unpacked(bytes(column)); }
    void get(int column, std::vector<double>& numbers) const;
    template <std::integral Integer>
    void get(int column, Integer& value) const {
        value = static_cast<Integer>(integer(column));
    }

    static std::string_view bytes_of(const std::vector<double>& numbers) {
        return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
    }
    template <class... Values>
    static std::int64_t seal_of(const Values&... values) {
        Checksum sum;
        (add(sum, values), ...);
        return static_cast<std::int64_t>(sum.value());
    }
    static void add(Checksum& sum, std::string_view bytes) {
        sum.add(bytes.size());
        sum.add(bytes);
    }
    static void add(Checksum& sum, NullableText text) { add(sum, text.text); }
    static void add(Checksum& sum, Packed text) { add(sum, text.bytes); }
    static void add(Checksum& sum, Unpacked text) { add(sum, text.bytes); }
    static void add(Checksum& sum, const std::vector<double>& numbers) { add(sum, bytes_of(numbers)); }
    template <std::integral Integer>
    static void add(Checksum& sum, Integer value) {
        sum.add(static_cast<std::uint64_t>(value));
    }

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

    /// Runs SQL without rows: one statement or several.
    void run(const std::string& sql);
    /// The first column of the first row; 0 if there is no row.
    template <class... Values>
    std::int64_t number(std::string_view sql, const Values&... values) {
        Statement statement(*this, sql);
        return statement.bind(values...).step() ? statement.integer(0) : 0;
    }
    template <class... Values>
    std::uint64_t count(std::string_view sql, const Values&... values) {
        return static_cast<std::uint64_t>(number(sql, values...));
    }
    std::optional<std::string> text(std::string_view sql);
    bool blank() { return number("SELECT count(*) FROM sqlite_schema") == 0; }

    const std::string& path() const noexcept { return path_; }
    sqlite3* handle() const noexcept { return handle_.get(); }
    /// Throws the exception that SQLite's current error stands for.
    [[noreturn]] void fail(const char* action) const;

  private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// Rolled back unless it is committed. A transaction that only reads sees one state of the file, even while
/// the writer commits, and needs no commit.
class Transaction {
  public:
    enum class Kind { read, write };

    explicit Transaction(Database& database, Kind kind = Kind::write);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

/// Throws DataError about the file as a whole.
[[noreturn]] void refuse_store(const std::string& path, const std::string& problem);

}  // namespace proxstream
