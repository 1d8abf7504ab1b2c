/// Objects and lists of JSON in one expression each, on top of JsonText.
#pragma once

#include "io/json_text.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

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
