/// Text for standard error. It may be closed, full or a pipe without a reader: what cannot be written is
/// dropped, because progress and messages must not end a run.
#pragma once

#include <cstdio>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

template <class... Arguments>
void eprint(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    try {
        fmt::memory_buffer text;  // allocates for long texts only, so that a lack of memory can be reported
        fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
        (void)std::fwrite(text.data(), 1, text.size(), stderr);
    } catch (const std::bad_alloc&) {
        return;
    }
}

}  // namespace proxstream
