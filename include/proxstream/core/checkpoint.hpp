/// Saves and restores state between two rounds. One function serves both directions: a type takes part by
/// having `void exchange(Checkpoint&)`, which names every value that later rounds depend on, in a fixed
/// order. Values that follow from settings, or that every round computes anew, are left out.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class Checkpoint;

/// A type whose state can be saved and restored: it has a member `exchange(Checkpoint&)`. The same function
/// is called for writing and for reading. Example: examples/04_own_loss.cpp
template <class T>
concept Exchangeable = requires(T& part, Checkpoint& checkpoint) {
    part.exchange(checkpoint);
};

/// Writes state to bytes, or reads it back. Every entry carries its name, so the checkpoint of something else
/// is refused at the first entry that differs. Reading throws DataError; the object that was being restored
/// must then be discarded.
///
/// \code
/// Real price = 2;
/// Checkpoint out;
/// out.exchange("price", price);
/// const std::string bytes = out.seal();
/// Checkpoint in(bytes, "memory");
/// in.exchange("price", price);
/// \endcode
class Checkpoint {
  public:
    /// Version of the format; other versions are refused.
    static constexpr std::uint64_t kVersion = 1;

    /// Starts writing; seal() returns the bytes.
    Checkpoint() = default;
    /// Starts reading the bytes that seal() returned. `source` names them in messages. Call finish() at the
    /// end.
    Checkpoint(std::string_view all, std::string source);

    /// Whether values are read; otherwise they are written.
    bool reading() const noexcept { return reading_; }

    /// Writes or reads a truth value.
    void exchange(std::string_view name, bool& value);
    /// Writes or reads a number, bit for bit.
    void exchange(std::string_view name, Real& value);
    /// Writes or reads a count. Reading refuses numbers above `most`.
    void exchange(std::string_view name, std::uint64_t& value,
                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    /// Writes or reads a text.
    void exchange(std::string_view name, std::string& value);
    /// Writes or reads a vector of fixed length. Reading refuses another length.
    void fixed(std::string_view name, View values);
    /// Writes or reads a vector of any length; reading resizes it.
    void list(std::string_view name, std::vector<Real>& values);
    /// The same for counts.
    void list(std::string_view name, std::vector<std::uint64_t>& values);
    /// The same for indices.
    void list(std::string_view name, std::vector<std::uint32_t>& values);
    /// Writes a value; reading refuses a checkpoint that has another one.
    void agree(std::string_view name, std::uint64_t value);

    /// Writes or reads an object through its own exchange(). Throws Error if its type has none.
    template <class T>
    void part(std::string_view name, T& value) {
        open(name);
        if constexpr (Exchangeable<T>) {
            value.exchange(*this);
        } else {
            throw Error("'" + path() + "' cannot be saved: its type does not say how (exchange)");
        }
        close();
    }
    /// The same for an optional object, with whether it is there.
    template <class T>
    void part(std::string_view name, std::optional<T>& value) {
        bool there = value.has_value();
        exchange(name, there);
        if (!there) value.reset();
        if (there && !value) value.emplace();
        if (value) part(name, *value);
    }

    /// Reading: throws DataError unless `holds`. Writing: does nothing.
    void require(bool holds, const char* expected) const;

    /// Writing: the complete bytes, with opening, version, length and checksum.
    std::string seal() const { return sealed(bytes_); }
    /// The complete bytes around a payload that was made elsewhere.
    static std::string sealed(std::string_view payload);
    /// Reading: throws DataError if bytes are left.
    void finish() const;

  private:
    enum class Kind : char {
        part = 'p',
        yes_or_no = 'b',
        real = 'r',
        count = 'c',
        text = 't',
        reals = 'R',
        counts = 'C',
        indices = 'I',
    };

    void open(std::string_view name);
    void close() { path_.pop_back(); }
    std::string path(std::string_view name = {}) const;
    [[noreturn]] void refuse(std::string_view name, const std::string& problem,
                             const std::string& expected) const;

    void head(Kind kind, std::string_view name);
    void put(const void* data, std::size_t count);
    void take(void* data, std::size_t count);
    template <class T>
    void plain(Kind kind, std::string_view name, T& value);
    template <class List>
    void many(Kind kind, std::string_view name, List& values);

    bool reading_ = false;
    std::string bytes_;      // between opening and checksum
    std::size_t place_ = 0;  // of what is read next
    std::string source_;
    std::vector<std::string_view> path_;  // parts that are open
};

}  // namespace proxstream
