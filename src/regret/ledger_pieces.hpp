/// What the lines of a ledger are made of: numbers, names, lists and objects, written and read.
#pragma once

#include "proxstream/core/round_report.hpp"

#include "append.hpp"
#include "core/json.hpp"
#include "line_cursor.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace proxstream {

inline void append_real(std::string& out, Real value) {
    if (std::isinf(value)) {
        out += value > 0 ? "\"inf\"" : "\"-inf\"";
    } else {
        append(out, "{}", value);
    }
}

inline void append_key(std::string& out, std::string_view key) {
    out += ",\"";
    out += key;
    out += "\":";
}

inline void append_field(std::string& out, std::string_view key, Real value) {
    append_key(out, key);
    append_real(out, value);
}

template <class Values>
void append_list(std::string& out, std::string_view key, const Values& values) {
    append_key(out, key);
    char before = '[';
    for (const auto& value : values) {
        out += before;
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
            append_real(out, value);
        } else {
            append(out, "{}", value);
        }
        before = ',';
    }
    if (before == '[') out += '[';
    out += ']';
}

/// "key":[{...},{...}], the inside of each object by `append_body`.
template <class Objects, class AppendBody>
void append_objects(std::string& out, std::string_view key, const Objects& objects, AppendBody append_body) {
    append_key(out, key);
    char before = '[';
    for (const auto& object : objects) {
        out += before;
        out += '{';
        append_body(out, object);
        out += '}';
        before = ',';
    }
    out += ']';
}

/// What append_objects wrote, if there was an object; reuses memory.
template <class Object, class ReadBody>
void read_objects(LineCursor& cursor, std::string_view key, std::vector<Object>& objects,
                  ReadBody read_body) {
    cursor.key(key);
    objects.clear();
    cursor.expect("[");
    do {
        cursor.open();
        read_body(cursor, objects.emplace_back());
        cursor.expect("}");
    } while (cursor.take(","));
    cursor.expect("]");
}

inline std::array<std::uint64_t, 6> numbers_of(const Cost& cost) {
    return {cost.record_gradients, cost.record_values, cost.passes, cost.prox,
            cost.oracle_calls,     cost.base_samples};
}

inline void append_costs(std::string& out, const Cost& cost, const Cost& referee_cost) {
    append_list(out, "c", numbers_of(cost));
    append_list(out, "cr", numbers_of(referee_cost));
}

inline Cost read_cost(LineCursor& cursor, std::string_view key) {
    std::array<std::uint64_t, 6> numbers{};
    cursor.key(key);
    cursor.integers(std::span(numbers));
    return {.record_gradients = numbers[0],
            .record_values = numbers[1],
            .passes = numbers[2],
            .prox = numbers[3],
            .oracle_calls = numbers[4],
            .base_samples = numbers[5]};
}

inline std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The value among `values` whose name stands at the cursor.
template <class Values>
auto read_name(LineCursor& cursor, const Values& values) {
    for (const auto value : values) {
        if (cursor.take_quoted(name(value))) return value;
    }
    std::string known;
    for (const auto value : values) known += (known.empty() ? "one of " : ", ") + std::string(name(value));
    cursor.fail(known);
}

template <class Read>
auto read_optional(LineCursor& cursor, std::string_view key, Read read) {
    cursor.key(key);
    std::optional<decltype(read())> value;
    if (!cursor.take("null")) value = read();
    return value;
}

inline Real read_field(LineCursor& cursor, std::string_view key, Range range) {
    cursor.key(key);
    return cursor.real(range);
}

inline std::uint64_t read_count(LineCursor& cursor, std::string_view key) {
    cursor.key(key);
    return cursor.integer();
}

}  // namespace proxstream
