/// One line of a ledger, written and read with the same calls, so that one list of fields serves both
/// (ledger_fields.hpp). The digest fixes a ledger byte for byte: keys stand in one order and without spaces.
/// A general JSON reader would accept nothing more, at many times the cost of a row.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/types.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// The name of a field: in ledgers, and in JSON and messages.
struct Key {
    consteval Key(const char* both) : ledger(both), name(both) {}  // NOLINT(google-explicit-constructor)
    consteval Key(const char* in_ledgers, const char* elsewhere) : ledger(in_ledgers), name(elsewhere) {}

    std::string_view ledger, name;
};

/// The numbers that a figure may be, both ends included. A NaN lies in no range.
struct Range {
    Real least = std::numeric_limits<Real>::lowest();
    Real most = std::numeric_limits<Real>::max();
    std::string_view words = "a finite number";

    constexpr bool holds(Real value) const { return value >= least && value <= most; }
};

inline constexpr Range kAny{};
inline constexpr Range kNonnegative{.least = 0, .words = "a finite number >= 0"};
inline constexpr Range kPositive{.least = std::numeric_limits<Real>::denorm_min(),
                                 .words = "a finite number > 0"};
inline constexpr Range kMaybeInfinite{
    .least = -kInfinity, .most = kInfinity, .words = "a number, \"inf\" or \"-inf\""};
inline constexpr Range kCount{.least = 1, .words = "at least 1"};

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// Appends a line. LineCursor has the same calls.
class LineWriter {
  public:
    explicit LineWriter(std::string& out) : out_(out) {}

    /// A number, count, flag, text or list; an optional that is empty is null.
    template <class Value>
    void operator()(Key key, const Value& value, const Range& range = kAny) {
        put_key(key);
        put(value, range);
    }
    /// The same; leaves out the key if there is no value.
    void if_there(Key key, const std::optional<Real>& value, const Range& range) {
        if (value) (*this)(key, *value, range);
    }
    void if_there(Key key, std::span<const Real> values, const Range& range) {
        if (!values.empty()) (*this)(key, values, range);
    }
    /// One of `values`, by its name.
    template <class Value, std::size_t kSize>
    void named(Key key, Value value, const std::array<Value, kSize>& /*values*/) {
        put_key(key);
        ((out_ += '"') += name(value)) += '"';
    }
    /// An object, whose fields are those that `list` lists; null where it is empty.
    template <class Object, class List>
    void object(Key key, const std::optional<Object>& object, const List& list) {
        put_key(key);
        object ? braces(*object, list) : void(out_ += "null");
    }
    /// A list of objects, at least one.
    template <class Objects, class List>
    void objects(Key key, const Objects& objects, const List& list) {
        put_key(key);
        char before = '[';
        for (const auto& each : objects) {
            out_ += std::exchange(before, ',');
            braces(each, list);
        }
        out_ += ']';
    }
    template <class Object, class List>
    void braces(const Object& object, const List& list) {
        first_ = true;
        list(*this, object);
        out_ += '}';
    }
    void put_key(Key key);

  private:
    void put(Real value, const Range& range);
    void put(std::uint64_t value, const Range& range);
    void put(bool value, const Range& range);
    void put(const std::string& value, const Range& range);
    void put(const Cost& cost, const Range& range);
    void put(std::span<const Real> values, const Range& range) { put_list(values, range); }
    void put(std::span<const Index> values, const Range& range) { put_list(values, range); }
    void put(const NamedTexts& texts, const Range& range);
    template <class Value>
    void put(const std::optional<Value>& value, const Range& range) {
        value ? put(*value, range) : void(out_ += "null");
    }
    template <class Values>
    void put_list(const Values& values, const Range& range) {
        out_ += '[';
        for (Index i = 0; i < values.size(); ++i) {
            if (i > 0) out_ += ',';
            put(values[i], range);
        }
        out_ += ']';
    }

    std::string& out_;
    bool first_ = true;  // the next key is the first of its object
};

/// Walks through a line. Throws DataError, which names source, line and key, where the line is not as
/// expected.
class LineCursor {
  public:
    LineCursor(std::string_view text, const std::string& source, std::uint64_t line)
        : rest_(text), source_(source), line_(line) {}

    template <class Value>
    void operator()(Key key, Value& value, const Range& range = kAny) {
        take_key(key);
        take(value, range);
    }
    void if_there(Key key, std::optional<Real>& value, const Range& range) {
        value.reset();
        if (at_key(key)) (*this)(key, value, range);
    }
    void if_there(Key key, std::vector<Real>& values, const Range& range) {
        values.clear();
        if (at_key(key)) (*this)(key, values, range);
    }
    template <class Value, std::size_t kSize>
    void named(Key key, Value& value, const std::array<Value, kSize>& values) {
        take_key(key);
        std::string known;
        for (const Value each : values) {
            value = each;
            if (take_quoted(name(each))) return;
            known += (known.empty() ? "one of " : ", ") + std::string(name(each));
        }
        fail(known);
    }
    template <class Object, class List>
    void object(Key key, std::optional<Object>& object, const List& list) {
        take_key(key);
        object.reset();
        if (!take("null")) braces(object.emplace(), list);
    }
    template <class Object, class List>
    void objects(Key key, std::vector<Object>& objects, const List& list) {
        take_key(key);
        objects.clear();
        expect("[");
        do {
            braces(objects.emplace_back(), list);
        } while (take(","));
        expect("]");
    }
    template <class Object, class List>
    void braces(Object& object, const List& list) {
        first_ = true;
        list(*this, object);
        expect("}");
    }

    bool at_key(Key key) const;
    void take_key(Key key);  // {"key": or ,"key":
    void expect(std::string_view literal);
    [[noreturn]] void fail(const std::string& expected) const;
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;
    std::string_view rest() const noexcept { return rest_; }

  private:
    bool take(std::string_view literal);
    bool take_quoted(std::string_view word);
    void take(Real& value, const Range& range);
    void take(std::uint64_t& value, const Range& range);
    void take(bool& value, const Range& range);
    void take(std::string& value, const Range& range);
    void take(Cost& cost, const Range& range);
    void take(std::vector<Real>& values, const Range& range) { take_list(values, range); }  // reuses memory
    void take(std::vector<Index>& values, const Range& range) { take_list(values, range); }
    void take(NamedTexts& texts, const Range& range);
    template <class Value>
    void take(std::optional<Value>& value, const Range& range) {
        value.reset();
        if (!take("null")) take(value.emplace(), range);
    }
    template <class Values>
    void take_list(Values& values, const Range& range) {
        values.clear();
        expect("[");
        if (take("]")) return;
        do {
            take(values.emplace_back(), range);
        } while (take(","));
        expect("]");
    }

    std::string_view rest_;
    std::string_view field_;  // the key read last
    bool first_ = true;
    const std::string& source_;
    std::uint64_t line_;
};

}  // namespace proxstream
