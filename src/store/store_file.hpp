/// The file of a run: the versions of its tables, the lock of its writer, and its first checks.
#pragma once

#include "store/database.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

inline constexpr std::int64_t kStoreVersion = 3;
inline constexpr std::int64_t kStoreMark = 0x50585354;  // "PXST", SQLite's application_id

/// Held by the one writer of a store, and released by the system if the process dies. It is a separate file
/// beside the store (RUN-lock). Closing another descriptor of the store itself would drop the locks of every
/// SQLite connection of the process.
class WriterLock {
  public:
    /// Throws ConfigError if another process holds it, IoError if the file cannot be made.
    explicit WriterLock(const std::string& store);
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

    static bool held(const std::string& store);

  private:
    std::string path_;
    int descriptor_ = -1;
};

/// Removes a store and what SQLite keeps beside it. Nothing may have it open.
void remove_store(const std::string& path) noexcept;

/// Brings the tables from version `from` (0: none) to version `to`, within the caller's transaction.
void migrate(Database& database, std::int64_t from, std::int64_t to = kStoreVersion);

/// Throws DataError unless the file is an undamaged store of a known version with a run, as far as SQLite can
/// tell.
void check_store(Database& database);
std::int64_t store_version(Database& database);
/// Whether the file is empty, or has the tables of a store but no run yet.
bool without_run(Database& database);

}  // namespace proxstream
