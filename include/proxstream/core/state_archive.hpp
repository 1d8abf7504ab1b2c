/// Saves and restores state between two rounds. One function serves both directions. A type takes part by
/// having `void serialise(StateArchive&)`, which names every value that later rounds depend on, in a fixed
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

class StateArchive;

/// A type whose state can be saved and restored: it has a member `serialise(StateArchive&)`. The same
/// function is called for writing and for reading. Example: examples/04_own_loss.cpp
template <class T>
concept Serialisable = requires(T& value, StateArchive& archive) {
    value.serialise(archive);
};

/// One value of a state and its name, for StateArchive::fields. The value has to live as long as the call.
///
/// \code
/// archive.fields(Field{"price", price_}, Field{"sold", sold_});
/// \endcode
template <class T>
struct Field {
    std::string_view name;  ///< written with the value, and compared when it is read
    T& value;               ///< what is written or read
};
/// Deduces the type of the value.
template <class T>
Field(std::string_view, T&) -> Field<T>;

/// Writes state to bytes, or reads it back. Every entry carries its name, so a state of something else is
/// refused at the first entry that differs. Reading throws DataError; the object that was being restored must
/// then be discarded.
///
/// \code
/// Real price = 2;
/// StateArchive out;
/// out.field("price", price);
/// const std::string bytes = out.seal();
/// StateArchive in(bytes, "memory");
/// in.field("price", price);
/// \endcode
class StateArchive {
  public:
    /// Version of the format; other versions are refused.
    static constexpr std::uint64_t kVersion = 1;

    /// Starts writing; seal() returns the bytes.
    StateArchive() = default;
    /// Starts reading the bytes that seal() returned. `source` names them in messages. Call finish() at the
    /// end.
    StateArchive(std::string_view all, std::string source);

    /// Whether values are read; otherwise they are written.
    bool reading() const noexcept { return reading_; }

    /// Writes or reads a truth value.
    void field(std::string_view name, bool& value);
    /// Writes or reads a number, bit for bit.
    void field(std::string_view name, Real& value);
    /// Writes or reads a count. Reading refuses numbers above `most`.
    void field(std::string_view name, std::uint64_t& value,
               std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    /// Writes or reads a text.
    void field(std::string_view name, std::string& value);
    /// Writes or reads a vector of fixed length. Reading refuses another length.
    void fixed(std::string_view name, View values);
    /// Writes or reads a vector of any length; reading resizes it.
    void list(std::string_view name, std::vector<Real>& values);
    /// The same for counts.
    void list(std::string_view name, std::vector<std::uint64_t>& values);
    /// The same for indices.
    void list(std::string_view name, std::vector<std::uint32_t>& values);
    /// Writes a value; reading refuses a state that has another one.
    void agree(std::string_view name, std::uint64_t value);

    /// Writes or reads an object through its own serialise(). Throws Error if its type has none.
    template <class T>
    void section(std::string_view name, T& value) {
        open(name);
        if constexpr (Serialisable<T>) {
            value.serialise(*this);
        } else {
            throw Error("'" + path() + "' cannot be saved: its type has no serialise()");
        }
        close();
    }
    /// The same for an optional object, with whether it is there.
    template <class T>
    void section(std::string_view name, std::optional<T>& value) {
        bool there = value.has_value();
        field(name, there);
        if (!there) value.reset();
        if (there && !value) value.emplace();
        if (value) section(name, *value);
    }
    /// The same for several objects. Reading refuses another number of them.
    template <class T>
    void section(std::string_view name, std::vector<T>& values) {
        agree(name, values.size());
        for (T& value : values) section(name, value);
    }

    /// Several entries in turn: field(), list() or section() of each, whichever its type has.
    template <class... T>
    void fields(const Field<T>&... entries) {
        (entry(entries.name, entries.value), ...);
    }

    /// Reading: throws DataError unless `holds`. Writing: does nothing.
    void require(bool holds, const char* expected) const;

    /// Writing: the complete bytes, with opening, version, length and checksum.
    std::string seal() const;
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

    template <class T>
    void entry(std::string_view name, T& value) {
        if constexpr (requires { field(name, value); }) {
            field(name, value);
        } else if constexpr (requires { list(name, value); }) {
            list(name, value);
        } else {
            section(name, value);
        }
    }
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
