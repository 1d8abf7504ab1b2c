#include "digest_chain.hpp"

#include "proxstream/core/error.hpp"

// EVP_Digest allocates for every line, and its first use crashes if memory runs out there.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace proxstream {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

DigestChain::DigestChain(std::string_view state) : text_(state) {
    if (state.empty()) return;
    if (state.size() != kAllDigits || state.find_first_not_of(kDigits) != std::string_view::npos)
        throw Error("a chain of digests continues from 64 hexadecimal digits");
    for (std::size_t i = 0; i < kAllDigits; i += 2)
        buffer_ += static_cast<char>(kDigits.find(state[i]) * 16 + kDigits.find(state[i + 1]));
}

std::string_view DigestChain::seal(std::string_view line, std::size_t digits) {
    buffer_ += line;
    std::array<unsigned char, kAllDigits / 2> bytes{};
    SHA256_CTX hash;
    const bool done = SHA256_Init(&hash) == 1 && SHA256_Update(&hash, buffer_.data(), buffer_.size()) == 1 &&
                      SHA256_Final(bytes.data(), &hash) == 1;
    if (!done) throw Error("SHA-256 is not available from the cryptographic library");
    buffer_.assign(bytes.begin(), bytes.end());
    text_.clear();
    for (const unsigned char byte : bytes) (text_ += kDigits[byte >> 4U]) += kDigits[byte & 15U];
    return std::string_view(text_).substr(0, digits);
}

}  // namespace proxstream
