/// State between two rounds as bytes, and back. One visitor for both directions: whatever takes part has one
/// function, `void exchange(Checkpoint&)`, that names what the rounds to come depend on, in a fixed order.
/// What follows from settings, or is worked out anew in every round, is left out.
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

template <class T>
concept Exchangeable = requires(T& part, Checkpoint& checkpoint) {
    part.exchange(checkpoint);
};

/// Every entry carries its name, so that a checkpoint of something else is refused where it first differs.
/// Reading throws DataError; the object that was being read is then of no use.
class Checkpoint {
  public:
    static constexpr std::uint64_t kVersion = 1;

    /// For writing; seal() ends it.
    Checkpoint() = default;
    /// For reading all of what seal() made; `source` stands for it in messages; finish() ends it.
    Checkpoint(std::string_view all, std::string source);

    bool reading() const noexcept { return reading_; }

    void exchange(std::string_view name, bool& value);
    void exchange(std::string_view name, Real& value);
    /// Refuses numbers above `most`.
    void exchange(std::string_view name, std::uint64_t& value,
                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    void exchange(std::string_view name, std::string& value);
    /// As many numbers as their owner has room for: another count is refused.
    void fixed(std::string_view name, View values);
    /// As many as there are.
    void list(std::string_view name, std::vector<Real>& values);
    void list(std::string_view name, std::vector<std::uint64_t>& values);
    void list(std::string_view name, std::vector<std::uint32_t>& values);
    /// What both sides have to agree about.
    void agree(std::string_view name, std::uint64_t value);

    /// Something with an exchange() of its own. Throws Error if it has none: it cannot be saved.
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
    template <class T>
    void part(std::string_view name, std::optional<T>& value) {
        bool there = value.has_value();
        exchange(name, there);
        if (!there) value.reset();
        if (there && !value) value.emplace();
        if (value) part(name, *value);
    }

    /// Reading: throws DataError unless `holds`.
    void require(bool holds, const char* expected) const;

    /// Writing: the whole of it, with opening, version, length and checksum.
    std::string seal() const { return sealed(bytes_); }
    static std::string sealed(std::string_view payload);
    /// Reading: nothing may be left.
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
