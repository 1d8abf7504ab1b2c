/// Walks through one canonical ledger line. The digest fixes a ledger byte for byte, so keys stand in one
/// order and without spaces; a general JSON reader would accept nothing more, at many times the cost a row.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Which numbers a figure may be.
struct Range {
    bool nonnegative = false;
    bool infinite = false;  // an infinity is written as the string "inf" or "-inf"
};

/// A NaN lies in no range.
constexpr bool fits(Real value, Range range) {
    constexpr Real kLargest = std::numeric_limits<Real>::max();
    const Real top = range.infinite ? kInfinity : kLargest;
    return value >= (range.nonnegative ? 0 : -top) && value <= top;
}

/// "" if `value` lies in the range, otherwise what was expected.
std::string_view expectation(Real value, Range range);

class LineCursor {
  public:
    LineCursor(std::string_view text, const std::string& source, std::uint64_t line)
        : rest_(text), source_(source), line_(line) {}

    bool at_key(std::string_view key) const;
    void key(std::string_view key);          // consumes {"key": or ,"key":
    void open() noexcept { first_ = true; }  // the next key is the first of an object inside the line
    bool take(std::string_view literal);
    bool take_quoted(std::string_view word);
    void expect(std::string_view literal);

    Real real(Range range);
    std::uint64_t integer();
    bool boolean();
    std::string string();
    void integers(std::span<std::uint64_t> out);      // [a,b,...] of this very length
    void reals(std::vector<Real>& out, Range range);  // [a,b,...] of any length; reuses memory
    void integers(std::vector<Index>& out);

    [[noreturn]] void fail(const std::string& expected) const;
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;
    std::string_view rest() const noexcept { return rest_; }

  private:
    std::string_view rest_;
    std::string_view field_;  // the key read last
    bool first_ = true;
    const std::string& source_;
    std::uint64_t line_;
};

}  // namespace proxstream
