/// Bearer tokens from a file; requests must carry one of them.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class Tokens {
  public:
    static constexpr std::size_t kShortest = 16;

    /// No tokens: all requests are allowed.
    Tokens() = default;
    /// Reads one token on each line; # begins a remark. Throws IoError. Throws ConfigError if others can read
    /// the file, a token is too short, or there is none.
    explicit Tokens(const std::string& path) : digests_(read(path)) {}

    /// Replaces the tokens.
    void reload(const std::string& path);
    bool needed() const;
    /// Checks an Authorization header. Wrong tokens take as long as right ones.
    bool allows(std::string_view authorization) const;

  private:
    using Digest = std::array<unsigned char, 32>;
    static Digest digest_of(std::string_view token);
    static std::vector<Digest> read(const std::string& path);

    mutable std::mutex mutex_;
    std::vector<Digest> digests_;
};

}  // namespace proxstream
