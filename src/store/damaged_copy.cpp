#include "store/damaged_copy.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "store/store_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace proxstream {
namespace {

constexpr std::size_t kPageSize = 4096;  // of every store
constexpr std::int64_t kMostKey = std::numeric_limits<std::int64_t>::max();

void copy_readable(const std::string& from, const std::string& to) {
    const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw IoError(from, "open the run store", errno);
    const auto close_file = [](const int* descriptor) { ::close(*descriptor); };
    const std::unique_ptr<const int, decltype(close_file)> closing(&file, close_file);
    const std::uint64_t size = std::filesystem::file_size(from);
    OutputFile copy(to);
    std::string block(kPageSize, '\0');
    for (std::uint64_t place = 0; place < size; place += block.size()) {
        block.assign(std::min<std::uint64_t>(kPageSize, size - place), '\0');
        const auto got = ::pread(file, block.data(), block.size(), static_cast<off_t>(place));
        if (got < 0 && errno != EIO) throw IoError(from, "read the run store", errno);
        copy.write(block);
    }
    copy.flush();
}

/// The first page of a store without rows.
std::string first_page() {
    Database fresh(":memory:", Database::Access::create);
    migrate(fresh, 0);
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
        sqlite3_serialize(fresh.handle(), "main", &size, 0), &sqlite3_free);
    if (!bytes || size < static_cast<sqlite3_int64>(kPageSize)) throw std::bad_alloc();
    std::string page(reinterpret_cast<const char*>(bytes.get()), kPageSize);
    // Places of SQLite's file header.
    constexpr std::size_t kVersions = 18, kChanges = 24, kFreePages = 32, kChangesOfSize = 92;
    page[kVersions] = page[kVersions + 1] = 2;  // a log may be beside the file
    page.replace(kFreePages, 8, 8, '\0');
    // Two counters that differ: the number of pages follows from the size of the file.
    page.replace(kChanges, 4, 4, '\1');
    page.replace(kChangesOfSize, 4, 4, '\2');
    return page;
}

/// Reads parts of a table, each up to the first row that cannot be read.
class TableReader {
  public:
    TableReader(Database& database, const RowScan& scan, const std::function<void(const Statement&)>& take)
        : database_(database), scan_(scan), take_(take) {}

    struct Part {
        bool complete = false;
        std::optional<std::int64_t> last = {};  // key
    };
    Part forward(std::int64_t first, bool one = false) const { return read(first, kMostKey, "ASC", one); }
    void backward(std::int64_t first, std::int64_t last) const { read(first, last, "DESC", false); }

    /// The first key behind `passed` that can be read, searched in growing steps. Nothing if there is none.
    std::optional<std::int64_t> next_readable(std::int64_t passed) const {
        for (std::int64_t step = 1; step <= kMostKey - passed; step *= 2) {
            const Part part = forward(passed + step, true);
            if (part.last || part.complete) return part.last;
            if (step > kMostKey / 2) break;
        }
        return std::nullopt;
    }

  private:
    Part read(std::int64_t first, std::int64_t last, std::string_view order, bool one) const {
        Part part;
        std::optional<Statement> rows;
        const auto next = [&] {
            try {
                if (!rows) {
                    rows.emplace(database_,
                                 fmt::format("SELECT {0}, {1} FROM {2} WHERE {1} >= ?1 AND {1} <= ?2 "
                                             "ORDER BY {1} {3}",
                                             scan_.columns, scan_.key, scan_.table, order));
                    rows->bind(first, last);
                }
                part.complete = !rows->step();
                return !part.complete;
            } catch (const std::exception&) {
                // The part ends here. A size that is damaged may ask for all memory.
                return false;
            }
        };
        while (next()) {
            const std::int64_t key = rows->integer(scan_.key_column);
            // The keys of a damaged page may be in any order.
            if (key < first || key > last) return part;
            take_(*rows);
            part.last = key;
            if (one) return part;
        }
        return part;
    }

    Database& database_;
    const RowScan& scan_;
    const std::function<void(const Statement&)>& take_;
};

}  // namespace

DamagedCopy::Files::~Files() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::remove((path + suffix).c_str());
}

DamagedCopy::DamagedCopy(const std::string& path, std::string copy) : files_(std::move(copy)) {
    copy_readable(path, files_.path);
    if (std::filesystem::exists(path + "-wal")) copy_readable(path + "-wal", files_.path + "-wal");
}

void DamagedCopy::replace_first_page() const {
    const std::uint64_t size = std::filesystem::file_size(path());
    {
        std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
        file << first_page();
        if (!file.flush()) throw IoError(path(), "write a copy of the run store", errno);
    }
    // The last page of a cut file is whole as far as SQLite is concerned.
    std::filesystem::resize_file(path(), std::max(kPageSize, (size + kPageSize - 1) / kPageSize * kPageSize));
}

bool has_usual_schema(Database& database) {
    Database fresh(":memory:", Database::Access::create);
    migrate(fresh, 0, store_version(database));
    constexpr const char* kSchema = "SELECT group_concat(sql, ';') FROM sqlite_schema";
    return database.text(kSchema) == fresh.text(kSchema);
}

bool scan_rows(Database& database, const RowScan& scan, const std::function<void(const Statement&)>& take) {
    const TableReader reader(database, scan, take);
    bool whole = true;
    for (std::int64_t first = 0;;) {
        const TableReader::Part part = reader.forward(first);
        if (part.complete) return whole;
        whole = false;
        const std::int64_t passed = std::max(part.last.value_or(first), first);
        const std::optional<std::int64_t> next = reader.next_readable(passed);
        // The rows between, from behind.
        if (passed < kMostKey) reader.backward(passed + 1, next.value_or(kMostKey));
        if (!next) return whole;
        first = *next;
    }
}

}  // namespace proxstream
