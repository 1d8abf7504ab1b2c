/// The lines `<KEY> value` at the beginning of a TNTP file.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/line_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

class TntpMetadata {
  public:
    /// Takes a line if it is one of metadata. Throws DataError for a key that is not closed or given twice.
    bool take(std::string_view text, const LineReader& lines);
    bool ended() const noexcept { return ended_; }
    bool has(const std::string& key) const { return values_.contains(key); }
    std::optional<std::uint64_t> count(const std::string& key) const;
    std::optional<Real> number(const std::string& key) const;
    DataLocation where(const std::string& key) const { return values_.at(key).where; }

  private:
    struct Value {
        std::string text;
        DataLocation where;
    };
    std::map<std::string, Value> values_;
    bool ended_ = false;
};

/// The line without its comment, which begins with ~, and blanks around it.
std::string_view without_tntp_comment(std::string_view line) noexcept;

}  // namespace proxstream
