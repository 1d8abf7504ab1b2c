/// Fields of text files: numbers with their conditions, and errors that say where and what is allowed.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "io/describe_text.hpp"
#include "io/parse_number.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// All bytes of an input, gunzipped: networks are small, and telling formats apart takes a second look.
std::string read_all(const Input& input);

std::string lower_case(std::string_view text);

/// Lower case letters and digits only: names of columns are compared in this form. What stands in parentheses
/// is a unit and left out.
std::string bare_name(std::string_view text);

/// Splits at blanks and tabs; no field is empty.
void split_at_blanks(std::string_view text, std::vector<std::string_view>& fields);
/// Splits at every `separator`; blanks around fields are taken off, fields may be empty.
void split_at(std::string_view text, char separator, std::vector<std::string_view>& fields);

/// A whole number without sign, as nodes and counts are.
std::optional<std::uint64_t> parse_count(std::string_view text);

/// "1 link", "5 links".
std::string count_of(std::uint64_t count, std::string_view noun);

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
    const auto value = parse_count(without_blanks(text));
    if (!value) {
        throw DataError(where(),
                        text.empty() ? "the field is empty"
                                     : quoted_excerpt(without_blanks(text)) + " is not a whole number",
                        "a whole number of at least 0");
    }
    return *value;
}

}  // namespace proxstream
