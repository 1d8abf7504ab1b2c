/// The part of its input that a run has used: a resumed run reads it again, and compares.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/stop_flag.hpp"

#include "core/checksum.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace proxstream {

struct InputMark {
    std::uint64_t records = 0;
    Checksum seen = Checksum();  // of these records

    void serialise(StateArchive& archive);

    /// The input, for messages.
    struct Names {
        std::string what;    // "stream"
        std::string source;  // its file
        std::string store;   // of the run
    };
    /// Calls `read` for every record up to this mark. It counts the record here, or returns false at the end
    /// of the input. Throws DataError if the input differs, Error after a stop request.
    void read_again(const Names& names, StopFlag stop, const std::function<bool()>& read);
};

}  // namespace proxstream
