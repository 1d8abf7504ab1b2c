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
inline constexpr std::uint64_t kFirstLinked = 5;  // the ledger version whose lines are linked

class DigestChain {
  public:
    enum class Kind : std::uint8_t {
        linked,  // each digest is that of the digest before and the line: 64 digits say all there is to know
        whole,   // each digest is that of every byte before it (ledgers up to version 4)
    };

    explicit DigestChain(Kind kind = Kind::linked);
    /// A linked chain that goes on from what state() said.
    explicit DigestChain(std::string_view state);

    void absorb(std::string_view bytes);
    /// Ends the line absorbed: the first digits of its digest. Valid until the next call.
    std::string_view seal(std::size_t digits);
    /// All digits of where the chain stands, between lines; of a linked one before its first line, nothing.
    std::string state();

  private:
    struct Release {
        void operator()(EVP_MD_CTX* context) const noexcept;
    };
    using Context = std::unique_ptr<EVP_MD_CTX, Release>;

    void close_line();

    Kind kind_;
    Context running_;
    Context closing_;  // of a whole chain: copied into and finished, so that the running one can go on
    bool begun_ = false;
    char text_[kAllDigits] = {};
};

inline DigestChain::Kind chain_kind(std::uint64_t version) {
    return version < kFirstLinked ? DigestChain::Kind::whole : DigestChain::Kind::linked;
}

}  // namespace proxstream
