/// JSON as text: written piece by piece, or an object or a list in one expression.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace proxstream {

/// For data too large to be held as a tree first. Commas are added automatically; the caller opens and closes
/// brackets in pairs. Text is safe inside an HTML <script> element: no '<' appears, nor do the line ends that
/// JavaScript has beyond JSON's.
class JsonText {
  public:
    void open(char bracket);
    void close(char bracket);
    /// Names the value that follows.
    void key(std::string_view name);

    void number(Real value);  // shortest form; null if not finite
    /// At most that many significant digits; null if not finite.
    void number(Real value, int digits);
    void integer(Index value);
    void flag(bool value);
    void null();
    void text(std::string_view value);  // what is not UTF-8 becomes U+FFFD
    void json(std::string_view value);  // known to be JSON

    std::string take() { return std::move(out_); }

  private:
    void separate();

    std::string out_;
};

/// Objects are lists of members: name and value in turn.
class JsonWriter {
  public:
    JsonText out;

    void put(std::string_view key, const std::string& value) { out.key(key), out.text(value); }
    void put(std::string_view key, Real value) { out.key(key), out.number(value); }
    void put(std::string_view key, Index value) { out.key(key), out.integer(value); }
    void put(std::string_view key, bool value) { out.key(key), out.flag(value); }
    template <class Value>
    void put(std::string_view key, const std::optional<Value>& value) {
        if (value) return put(key, *value);
        out.key(key);
        out.null();
    }
    /// JSON that was made elsewhere; null if it is empty.
    void json(std::string_view key, std::string_view value) {
        out.key(key);
        out.json(value.empty() ? "null" : value);
    }
    /// An array with what `write` makes of each item.
    template <class Items, class Write>
    void list(std::string_view key, const Items& items, const Write& write) {
        out.key(key);
        out.open('[');
        for (const auto& item : items) write(item);
        out.close(']');
    }
    template <class Items, class Write>
    void objects(std::string_view key, const Items& items, const Write& write) {
        list(key, items, [&](const auto& item) {
            out.open('{');
            write(item);
            out.close('}');
        });
    }
    void numbers(std::string_view key, std::span<const Real> values) {
        list(key, values, [&](Real value) { out.number(value); });
    }
    template <class Write>
    void object(std::string_view key, const Write& write) {
        out.key(key);
        out.open('{');
        write();
        out.close('}');
    }
};

/// One object, with the members that `write` puts into it.
template <class Write>
std::string json_object(const Write& write) {
    JsonWriter to;
    to.out.open('{');
    write(to);
    to.out.close('}');
    return to.out.take();
}

}  // namespace proxstream
