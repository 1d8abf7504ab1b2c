/// Who may ask: bearer tokens from a file.
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

    /// No tokens: everybody may.
    Tokens() = default;
    /// A token a line, # for remarks. Throws IoError, or ConfigError if others can read the file, if a token
    /// is too short to be one, or if there are none.
    explicit Tokens(const std::string& path) : digests_(read(path)) {}

    /// Other tokens from now on.
    void reload(const std::string& path);
    bool needed() const;
    /// Of an Authorization header. Takes as long for a wrong token as for a right one.
    bool allows(std::string_view authorization) const;

  private:
    using Digest = std::array<unsigned char, 32>;
    static Digest digest_of(std::string_view token);
    static std::vector<Digest> read(const std::string& path);

    mutable std::mutex mutex_;
    std::vector<Digest> digests_;
};

}  // namespace proxstream
