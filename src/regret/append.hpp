/// Text written as fmt formats it, at the end of a string.
#pragma once

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

template <class... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Values>(values)...);
}

}  // namespace proxstream
