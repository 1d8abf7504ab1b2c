/// A copy of a damaged store that SQLite can open. The store itself is only read, byte by byte.
#pragma once

#include "store/database.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace proxstream {

class DamagedCopy {
  public:
    /// Copies the store `path` and its log to `copy`. Blocks that the disk cannot read become zeros.
    DamagedCopy(const std::string& path, std::string copy);

    /// Replaces the first page by that of a new store. It has the header and the schema, which are the same
    /// in every store, and no rows. A log that has the page takes precedence.
    void replace_first_page() const;
    const std::string& path() const noexcept { return files_.path; }

  private:
    /// Removed with the object, also if it could not be made.
    struct Files {
        explicit Files(std::string name) : path(std::move(name)) {}
        ~Files();
        Files(const Files&) = delete;
        Files& operator=(const Files&) = delete;
        std::string path;
    };
    Files files_;
};

/// Whether the tables are declared as in a new store of the same version.
bool has_usual_schema(Database& database);

/// A query for all rows of a table, whose last column is its key: an integer that is not negative.
struct RowScan {
    std::string_view columns;  // without the key
    std::string_view table;
    std::string_view key;
    int key_column;
};

/// Calls `take` for every row that can be read; for some of a damaged table twice, and not in order. Passes
/// over pages that are damaged. Returns whether there were none.
bool scan_rows(Database& database, const RowScan& scan, const std::function<void(const Statement&)>& take);

}  // namespace proxstream
