/// Saved states of lists and of enumerations.
#pragma once

#include "proxstream/core/state_archive.hpp"

#include <string_view>

namespace proxstream {

/// The number of elements under `name`, then each(element) for every one of them.
template <class List, class Each>
void serialise_each(StateArchive& archive, std::string_view name, List& list, const Each& each) {
    std::uint64_t count = list.size();
    archive.field(name, count, std::uint64_t{1} << 32U);
    if (archive.reading()) list.assign(count, {});
    for (auto& element : list) each(element);
}

/// An enumerator, as a number up to that of `last`.
template <class Enum>
void serialise_enum(StateArchive& archive, std::string_view name, Enum& value, Enum last) {
    auto number = static_cast<std::uint64_t>(value);
    archive.field(name, number, static_cast<std::uint64_t>(last));
    value = static_cast<Enum>(number);
}

}  // namespace proxstream
