/// Text written as fmt formats it, at the end of a string.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

template <class... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    out += fmt::format(form, std::forward<Values>(values)...);
}

}  // namespace proxstream
