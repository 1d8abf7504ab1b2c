/// Where bytes come from: a file, a pipe, standard input or memory, gunzipped on the way when the first bytes
/// say so. A source hands out what has arrived; it never waits to fill a block, so live streams stay live.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/stop_flag.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

/// An input that is unusable as a whole (torn gzip data, another header, no rows). Unlike any other
/// DataError it is not one bad row: whoever skips bad rows should still stop here.
class DamagedFile : public DataError {
  public:
    using DataError::DataError;
};

class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// At most into.size() bytes, as soon as there is one; 0 at the end.
    virtual std::size_t read(std::span<char> into) = 0;
    virtual const std::string& name() const noexcept = 0;
    /// Whether the end came from a stop flag: the last bytes may then be half a line.
    virtual bool stopped() const noexcept { return false; }
};

/// Something that can be opened and read once, or again from its start if `rereadable`.
struct Input {
    std::string name;
    bool rereadable = false;
    std::function<std::unique_ptr<ByteSource>()> open;
};

/// A path, or "-" for standard input; `stop` ends a read that waits for more. Throws IoError at once when it
/// is missing, unreadable or a directory.
Input file_input(const std::string& path, StopFlag stop = nullptr);
/// Bytes in memory, handed out at most `piece` at a time.
Input memory_input(std::string name, std::string bytes, std::size_t piece = std::size_t{1} << 18U);

}  // namespace proxstream
