/// The file of a run: its tables, their versions, who may write to it, and what has to hold before anything
/// in it is believed.
#pragma once

#include "core/checksum.hpp"
#include "store/database.hpp"
#include "store/run_identity.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

inline constexpr std::int64_t kStoreVersion = 2;
inline constexpr std::int64_t kStoreMark = 0x50585354;  // "PXST", SQLite's application_id

/// Rows of SQLite carry no checksum of their own: these do, each over what it says.
class RowSeal {
  public:
    RowSeal& add(std::string_view bytes);
    RowSeal& add(std::uint64_t number);
    std::int64_t value() const;

  private:
    Checksum sum_;
};

/// Whoever writes holds it; it goes with the process, however that ends. A file of its own beside the store
/// (RUN-lock): a descriptor of the store itself that is closed would take SQLite's own locks with it, of
/// every connection of the process.
class WriterLock {
  public:
    /// Throws ConfigError if somebody else has it, IoError if the file cannot be made.
    explicit WriterLock(const std::string& store);
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

    static bool held(const std::string& store);

  private:
    std::string path_;
    int descriptor_ = -1;
};

/// Brings tables from version `from` up to `to`; 0: there are none yet. For the caller's transaction.
void migrate(Database& database, std::int64_t from, std::int64_t to = kStoreVersion);

/// Is it a store of a version known here, and whole as far as SQLite can tell? Throws DataError.
void check_store(Database& database);
std::int64_t store_version(Database& database);

/// What stands once in a store. Throws DataError if the seal does not fit.
std::optional<std::string> read_fact(Database& database, std::string_view name);
void write_fact(Database& database, std::string_view name, std::string_view value);

std::string identity_json(const RunIdentity& identity);
RunIdentity parse_identity(std::string_view json, const std::string& source);

[[noreturn]] void refuse_store(const std::string& path, const std::string& problem);

}  // namespace proxstream
