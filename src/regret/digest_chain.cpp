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

DigestChain::DigestChain(Kind kind) : kind_(kind), running_(EVP_MD_CTX_new()), closing_(EVP_MD_CTX_new()) {
    require(running_ && closing_ ? 1 : 0);
    require(EVP_DigestInit_ex(running_.get(), EVP_sha256(), nullptr));
}

DigestChain::DigestChain(std::string_view state) : DigestChain(Kind::linked) {
    if (state.empty()) return;
    const auto known = [](char digit) { return kDigits.find(digit) != std::string_view::npos; };
    if (state.size() != kAllDigits || !std::all_of(state.begin(), state.end(), known))
        throw Error("a chain of digests goes on from 64 hexadecimal digits");
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

void DigestChain::close_line() {
    const bool linked = kind_ == Kind::linked;
    if (!linked) require(EVP_MD_CTX_copy_ex(closing_.get(), running_.get()));
    const Bytes bytes = finish(linked ? running_.get() : closing_.get());
    for (std::size_t i = 0; i < kAllDigits; ++i) {
        text_[i] = kDigits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    }
    if (!linked) return;
    require(EVP_DigestInit_ex(running_.get(), EVP_sha256(), nullptr));
    require(EVP_DigestUpdate(running_.get(), bytes.data(), kAllDigits / 2));
    begun_ = true;
}

std::string_view DigestChain::seal(std::size_t digits) {
    close_line();
    const std::string_view sealed(text_, digits);
    // A linked chain has taken the digest along as it is.
    if (kind_ == Kind::whole) {
        absorb(sealed);
        absorb(kSealClose);
    }
    return sealed;
}

std::string DigestChain::state() {
    if (kind_ == Kind::whole) close_line();
    return kind_ == Kind::linked && !begun_ ? std::string() : std::string(text_, kAllDigits);
}

}  // namespace proxstream
