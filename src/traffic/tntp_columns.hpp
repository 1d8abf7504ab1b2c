/// Which column of a TNTP link row means what: as the comment above the rows names them, or in the usual
/// order.
#pragma once

#include "proxstream/core/types.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

enum class TntpField : Index { from, to, capacity, length, free_time, b, power, speed, toll, type };
inline constexpr Index kTntpFields = 10;

class TntpColumns {
  public:
    TntpColumns();  // the usual ten, in the usual order
    /// The columns that a comment names, if it names those that every network needs.
    static std::optional<TntpColumns> from_comment(std::string_view comment);

    Index columns() const noexcept { return names_.size(); }
    const std::string& name(Index column) const { return names_[column]; }
    bool has(TntpField field) const noexcept { return places_[static_cast<Index>(field)] != kAbsent; }
    Index place(TntpField field) const noexcept { return places_[static_cast<Index>(field)]; }
    /// Columns that are none of the usual ones, as "column 9 (critical_speed)".
    std::vector<std::string> strangers() const;

    /// The fields of a row without its semicolon, by column: what stands between two tabs may be empty. The
    /// number of fields is columns() unless the row is wrong.
    void split(std::string_view row, std::vector<std::string_view>& fields) const;

  private:
    static constexpr Index kAbsent = ~Index{0};
    std::vector<std::string> names_;
    std::array<Index, kTntpFields> places_;
};

}  // namespace proxstream
