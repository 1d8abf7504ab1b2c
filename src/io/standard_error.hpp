/// Text for standard error. It may be closed, full or a pipe without a reader: what cannot be written is
/// dropped, because progress and messages must not end a run.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

template <class... Arguments>
void eprint(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace proxstream
