/// What the bench and the injected library share: a page of memory, mapped from a file by both. Its numbers
/// survive the death of the program.
#pragma once

#include <atomic>
#include <cstdint>

namespace proxstream::faults {

/// Names the file of the page to the library.
inline constexpr const char* kPageVariable = "PROXSTREAM_FAULT_PAGE";

/// What is counted, and may fail.
enum class Kind : std::uint32_t {
    files,   // calls that change a file of the run: open to write, write, sync, cut, rename, remove, close
    writes,  // of these, the ones that write bytes
    memory,  // allocations after main() has begun
};
inline constexpr int kKinds = 3;

enum class Mode : std::uint32_t {
    none,
    fail,         // the call does nothing and returns `error`
    fail_onward,  // so do all later calls of the kind; a full disk still removes, cuts and closes files
    kill_before,  // the process is killed before the call
    kill_after,   // and after it
    torn,         // half of the bytes are written, then the process is killed
    brief,        // half of the bytes are written, and the call says so: no fault, but the caller must notice
};

struct Page {
    Kind kind;
    Mode mode;
    std::uint64_t at;  // the number of the call, from 1
    std::int32_t error;
    char folder[256];  // only calls to files below it count; ends in '/'
    std::atomic<std::uint64_t> calls[kKinds];
    std::atomic<std::uint32_t> struck;  // calls that met the fault
    char call[32];                      // the first of them
    char file[256];                     // and its file
};

}  // namespace proxstream::faults
