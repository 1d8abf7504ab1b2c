#include "digest_chain.hpp"

#include "proxstream/core/error.hpp"

#include <new>

#include <openssl/err.h>
#include <openssl/evp.h>

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
    if (EVP_Digest(buffer_.data(), buffer_.size(), bytes.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE) throw std::bad_alloc();
        throw Error("SHA-256 is not available from the cryptographic library");
    }
    buffer_.assign(bytes.begin(), bytes.end());
    text_.clear();
    for (const unsigned char byte : bytes) (text_ += kDigits[byte >> 4U]) += kDigits[byte & 15U];
    return std::string_view(text_).substr(0, digits);
}

}  // namespace proxstream
