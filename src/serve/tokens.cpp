#include "serve/tokens.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>

namespace proxstream {

Tokens::Digest Tokens::digest_of(std::string_view token) {
    Digest digest{};
    unsigned length = 0;
    if (EVP_Digest(token.data(), token.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
        throw Error("the digest of a token could not be made");
    return digest;
}

std::vector<Tokens::Digest> Tokens::read(const std::string& path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) throw IoError(path, "read the tokens", errno);
    if ((facts.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        throw ConfigError(
            fmt::format("token-file = {}: its mode is {:o}; others must have no access to it (chmod 600)",
                        path, facts.st_mode & 07777U));
    }
    const std::string text = read_whole_file(path);
    std::vector<Digest> digests;
    std::size_t line = 0;
    for (std::string_view rest = text; !rest.empty();) {
        ++line;
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view token = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        constexpr std::string_view kBlank = " \t\r";
        token.remove_prefix(std::min(token.find_first_not_of(kBlank), token.size()));
        token = token.substr(0, token.find_last_not_of(kBlank) + 1);
        if (token.empty() || token.front() == '#') continue;
        // The message has the token's place, not the token.
        const bool odd = std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; });
        if (odd || token.size() < kShortest) {
            throw ConfigError(fmt::format(
                "token-file = {}: line {}: a token is at least {} printable characters, without spaces", path,
                line, kShortest));
        }
        digests.push_back(digest_of(token));
    }
    if (digests.empty()) throw ConfigError(fmt::format("token-file = {}: there is no token in it", path));
    return digests;
}

void Tokens::reload(const std::string& path) {
    std::vector<Digest> digests = read(path);
    const std::lock_guard lock(mutex_);
    digests_ = std::move(digests);
}

bool Tokens::needed() const {
    const std::lock_guard lock(mutex_);
    return !digests_.empty();
}

bool Tokens::allows(std::string_view authorization) const {
    const std::lock_guard lock(mutex_);
    if (digests_.empty()) return true;
    constexpr std::string_view kScheme = "Bearer ";
    if (!authorization.starts_with(kScheme)) return false;
    const Digest given = digest_of(authorization.substr(kScheme.size()));
    int equal = 0;
    for (const Digest& digest : digests_)
        equal |= CRYPTO_memcmp(given.data(), digest.data(), given.size()) == 0 ? 1 : 0;
    return equal != 0;
}

}  // namespace proxstream
