#include "run/input_mark.hpp"

#include "proxstream/core/error.hpp"

#include <utility>

#include <fmt/format.h>

namespace proxstream {

void InputMark::serialise(StateArchive& archive) {
    std::uint64_t checksum = seen.value();
    archive.fields(Field{"records", records}, Field{"checksum", checksum});
    seen = Checksum(checksum);
}

void InputMark::read_again(const Names& names, StopFlag stop, const std::function<bool()>& read) {
    const InputMark expected = std::exchange(*this, InputMark());
    const auto refuse = [&](const std::string& problem) {
        throw DataError({.source = names.source, .line = 0, .column = 0, .field = ""},
                        fmt::format("the {} {}", names.what, problem),
                        fmt::format("the {} records that the run of {} has used, from their beginning",
                                    expected.records, names.store));
    };
    while (records < expected.records) {
        const bool there = read();
        if (stop != nullptr && *stop)
            throw Error("interrupted before the first new turn; nothing was changed");
        if (!there) refuse(fmt::format("ends after {} records", records));
    }
    if (seen.value() == expected.seen.value()) return;
    refuse(fmt::format("has changed: the first {} records are not those the run of {} has learned from",
                       expected.records, names.store));
}

}  // namespace proxstream
