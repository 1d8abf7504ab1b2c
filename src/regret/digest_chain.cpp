#include "digest_chain.hpp"

#include "proxstream/core/error.hpp"

#include "ledger_format.hpp"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

namespace proxstream {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void require(int succeeded) {
    if (succeeded != 1) throw Error("SHA-256 is not available from the cryptographic library");
}

using Bytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

Bytes finish(EVP_MD_CTX* context) {
    Bytes bytes{};
    require(EVP_DigestFinal_ex(context, bytes.data(), nullptr));
    return bytes;
}

}  // namespace

void DigestChain::Release::operator()(EVP_MD_CTX* context) const noexcept {
    EVP_MD_CTX_free(context);
}

DigestChain::DigestChain() : running_(EVP_MD_CTX_new()) {
    require(running_ ? 1 : 0);
    require(EVP_DigestInit_ex(running_.get(), EVP_sha256(), nullptr));
}

DigestChain::DigestChain(std::string_view state) : DigestChain() {
    if (state.empty()) return;
    const auto known = [](char digit) { return kDigits.find(digit) != std::string_view::npos; };
    if (state.size() != kAllDigits || !std::all_of(state.begin(), state.end(), known))
        throw Error("a chain of digests continues from 64 hexadecimal digits");
    begun_ = true;
    state.copy(text_, kAllDigits);
    std::array<char, kAllDigits / 2> link{};
    for (std::size_t i = 0; i < link.size(); ++i) {
        link[i] = static_cast<char>(kDigits.find(state[2 * i]) * 16 + kDigits.find(state[2 * i + 1]));
    }
    absorb({link.data(), link.size()});
}

void DigestChain::absorb(std::string_view bytes) {
    require(EVP_DigestUpdate(running_.get(), bytes.data(), bytes.size()));
}

std::string_view DigestChain::seal(std::size_t digits) {
    const Bytes bytes = finish(running_.get());
    for (std::size_t i = 0; i < kAllDigits; ++i) {
        text_[i] = kDigits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    }
    require(EVP_DigestInit_ex(running_.get(), EVP_sha256(), nullptr));
    require(EVP_DigestUpdate(running_.get(), bytes.data(), kAllDigits / 2));
    begun_ = true;
    return {text_, digits};
}

std::string DigestChain::state() const {
    return begun_ ? std::string(text_, kAllDigits) : std::string();
}

}  // namespace proxstream
