/// The SHA-256 digests that seal the lines of a ledger: a line's digest covers all lines before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/types.h>

namespace proxstream {

inline constexpr std::size_t kRowDigits = 16;  // a row's digest is cut to these; the footer has them all
inline constexpr std::size_t kAllDigits = 64;

/// Each digest is that of the digest before it and the line: 64 digits are all a writer needs to continue.
class DigestChain {
  public:
    DigestChain();
    /// Continues from what state() returned.
    explicit DigestChain(std::string_view state);

    void absorb(std::string_view bytes);
    /// Ends the line absorbed: the first digits of its digest. Valid until the next call.
    std::string_view seal(std::size_t digits);
    /// All digits of the last line's digest; before the first line, nothing.
    std::string state() const;

  private:
    struct Release {
        void operator()(EVP_MD_CTX* context) const noexcept;
    };
    using Context = std::unique_ptr<EVP_MD_CTX, Release>;

    Context running_;
    bool begun_ = false;
    char text_[kAllDigits] = {};
};

}  // namespace proxstream
