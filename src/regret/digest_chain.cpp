#include "digest_chain.hpp"

#include "proxstream/core/error.hpp"

#include <array>

#include <openssl/evp.h>

namespace proxstream {
namespace {

void require(int succeeded) {
    if (succeeded != 1) throw Error("SHA-256 is not available from the cryptographic library");
}

}  // namespace

void DigestChain::Release::operator()(EVP_MD_CTX* context) const noexcept {
    EVP_MD_CTX_free(context);
}

DigestChain::DigestChain() : running_(EVP_MD_CTX_new()), closing_(EVP_MD_CTX_new()) {
    require(running_ && closing_ ? 1 : 0);
    require(EVP_DigestInit_ex(running_.get(), EVP_sha256(), nullptr));
}

void DigestChain::absorb(std::string_view bytes) {
    require(EVP_DigestUpdate(running_.get(), bytes.data(), bytes.size()));
}

std::string_view DigestChain::hex(std::size_t digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    require(EVP_MD_CTX_copy_ex(closing_.get(), running_.get()));
    require(EVP_DigestFinal_ex(closing_.get(), bytes.data(), nullptr));
    for (std::size_t i = 0; i < kAllDigits; ++i) {
        text_[i] = kDigits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    }
    return {text_, digits};
}

}  // namespace proxstream
