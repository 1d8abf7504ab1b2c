#include "store/database.hpp"

#include "proxstream/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sqlite3.h>

namespace proxstream {
namespace {

/// How long a reader waits for a writer that moves its log into the file.
constexpr int kBusyMilliseconds = 5000;

}  // namespace

void refuse_store(const std::string& path, const std::string& problem) {
    throw DataError(
        {.source = path, .line = 0, .column = 0, .field = ""}, problem,
        "a file that proxstream has written with --store; if it is damaged, 'proxstream recover " + path +
            " OUT' makes a new one of what is whole");
}

void Database::Close::operator()(sqlite3* handle) const noexcept {
    sqlite3_close_v2(handle);
}

void Statement::Finalise::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

Database::Database(std::string path, Access access) : path_(std::move(path)) {
    int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2(path_.c_str(), &raw, flags, nullptr);
    handle_.reset(raw);
    if (status != SQLITE_OK) fail("open the run store");
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    // A store may come from another machine: its schema must not run code.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    run("PRAGMA cell_size_check = ON");
}

void Database::fail(const char* action) const {
    const int status = sqlite3_extended_errcode(handle_.get());
    const std::string said = sqlite3_errmsg(handle_.get());
    int system = sqlite3_system_errno(handle_.get());
    switch (status & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
            refuse_store(path_, "not a run store, or damaged: " + said);
        case SQLITE_FULL:
            system = ENOSPC;
            break;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            system = EBUSY;
            break;
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
            system = EACCES;
            break;
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
            if (system == 0) system = EIO;
            break;
        default:
            throw Error(path_ + ": " + action + ": " + said);
    }
    throw IoError(path_, action, system);
}

void Database::run(const std::string& sql) {
    if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail("use the run store");
}

std::optional<std::string> Database::text(std::string_view sql) {
    Statement statement(*this, sql);
    if (!statement.step() || statement.null(0)) return std::nullopt;
    return std::string(statement.bytes(0));
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
    sqlite3_stmt* raw = nullptr;
    const int status = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    statement_.reset(raw);
    if (status != SQLITE_OK) database.fail("read the run store");
}

void Statement::reset() {
    sqlite3_reset(statement_.get());
}

void Statement::put_integer(int place, std::int64_t value) {
    if (sqlite3_bind_int64(statement_.get(), place, value) != SQLITE_OK) database_->fail("bind a number");
}

void Statement::put(int place, std::string_view bytes) {
    // A null pointer would bind NULL instead of an empty blob.
    const char* data = bytes.empty() ? "" : bytes.data();
    if (sqlite3_bind_blob64(statement_.get(), place, data, bytes.size(), SQLITE_STATIC) != SQLITE_OK)
        database_->fail("bind bytes");
}

void Statement::put(int place, Packed text) {
    const std::string bytes = packed(text.bytes);
    if (sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(), SQLITE_TRANSIENT) !=
        SQLITE_OK)
        database_->fail("bind bytes");
}

void Statement::put(int place, NullableText text) {
    if (!text.text.empty()) return put(place, text.text);
    if (sqlite3_bind_null(statement_.get(), place) != SQLITE_OK) database_->fail("bind NULL");
}

bool Statement::step() {
    const int status = sqlite3_step(statement_.get());
    if (status == SQLITE_ROW) return true;
    if (status == SQLITE_DONE) return false;
    database_->fail("use the run store");
}

void Statement::run_bound() {
    while (step()) {
    }
    reset();
}

void Statement::get(int column, std::vector<double>& numbers) const {
    const std::string_view found = bytes(column);
    numbers.resize(found.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), found.data(), numbers.size() * sizeof(double));
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return data == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
}

bool Statement::null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
    // Without memory, the one before could neither be begun nor rolled back as a whole.
    if (sqlite3_get_autocommit(database_.handle()) == 0) database_.run("ROLLBACK");
    database_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    // If this fails, the next connection to the file rolls back.
    if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    database_.run("COMMIT");
    open_ = false;
}

}  // namespace proxstream
