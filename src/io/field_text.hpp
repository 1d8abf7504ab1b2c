/// Fields of text files: numbers with their conditions, and errors that say where and what is allowed.
#pragma once

#include "proxstream/core/error.hpp"

#include "core/lower_case.hpp"
#include "core/quoted_excerpt.hpp"
#include "io/parse_number.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

/// Why `text` is not a usable number, as "'abc' is not a number" or "the field is empty".
std::string describe_bad_number(std::string_view text);

/// "0,5614" or "1,234.5".
bool has_decimal_comma(std::string_view text);

/// "1 link", "5 links".
std::string count_of(std::uint64_t count, std::string_view noun);

/// Lower case letters and digits only: names of columns are compared in this form. A unit in
/// parentheses is left out.
std::string bare_name(std::string_view text);

/// A whole number without sign.
std::optional<std::uint64_t> parse_count(std::string_view text);

/// A finite number; `where` makes the DataLocation, and is called only for an error.
template <class Where>
Real read_number(std::string_view text, Where where) {
    Real value = 0;
    if (!parse_whole_number(text, value))
        throw DataError(where(), describe_bad_number(text), "a finite number");
    return value;
}

template <class Where>
Real read_amount(std::string_view text, Where where) {
    const Real value = read_number(text, where);
    if (value < 0) {
        throw DataError(where(), quoted_excerpt(without_blanks(text)) + " is negative",
                        "a number of at least 0");
    }
    return value == 0 ? 0 : value;  // not -0
}

template <class Where>
std::uint64_t read_count(std::string_view text, Where where) {
    text = without_blanks(text);
    if (const auto value = parse_count(text)) return *value;
    throw DataError(where(),
                    text.empty() ? "the field is empty" : quoted_excerpt(text) + " is not a whole number",
                    "a whole number of at least 0");
}

}  // namespace proxstream
