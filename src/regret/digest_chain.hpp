/// The running SHA-256 that seals every line of a ledger: a line's digest covers all bytes before it.
#pragma once

#include <memory>
#include <string_view>

#include <openssl/types.h>

namespace proxstream {

inline constexpr std::size_t kRowDigits = 16;  // a row's digest is cut to these; the footer has them all
inline constexpr std::size_t kAllDigits = 64;

class DigestChain {
  public:
    DigestChain();
    void absorb(std::string_view bytes);
    /// The first `digits` hexadecimal digits of the digest of everything absorbed so far. Valid until the
    /// next call.
    std::string_view hex(std::size_t digits);

  private:
    struct Release {
        void operator()(EVP_MD_CTX* context) const noexcept;
    };
    using Context = std::unique_ptr<EVP_MD_CTX, Release>;
    Context running_;
    Context closing_;  // copied into and finished, so that the running one can go on
    char text_[kAllDigits] = {};
};

}  // namespace proxstream
