/// The SHA-256 digests that seal the lines of a ledger: a line's digest covers all lines before it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace proxstream {

inline constexpr std::size_t kRowDigits = 16;  // digits of a row's digest; the footer has all of them
inline constexpr std::size_t kAllDigits = 64;

/// Each digest is that of the digest before it and the line: 64 digits are all a writer needs to continue.
class DigestChain {
  public:
    DigestChain() = default;
    /// Continues from what state() returned.
    explicit DigestChain(std::string_view state);

    /// The first digits of the digest of the next line. Valid until the next call.
    std::string_view seal(std::string_view line, std::size_t digits);
    /// All digits of the last line's digest; before the first line, nothing.
    std::string state() const { return text_; }

  private:
    std::string text_;
    std::string buffer_;  // the last digest, then the line
};

}  // namespace proxstream
