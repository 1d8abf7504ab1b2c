/// Where bytes come from: a file, a pipe, standard input or memory. Gzip data are recognised by their first
/// bytes and decompressed. A source returns what has arrived without waiting to fill a block, so live streams
/// are not delayed.
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

/// Thrown for an input that is unusable as a whole: damaged gzip data, a wrong header, no rows. Programs that
/// skip bad rows (other DataErrors) should still stop here.
///
/// \code
/// try {
///     const NetworkFile file = open_network("network.xml.gz");
/// } catch (const DamagedFile& error) {
///     std::cerr << error.what() << '\n';
/// }
/// \endcode
class DamagedFile : public DataError {
  public:
    using DataError::DataError;
};

/// A stream of bytes that is read once from start to end. Input::open makes one; derive from it to read from
/// a source of your own.
///
/// \code
/// const auto source = file_input("rows.csv.gz").open();
/// char block[4096];
/// while (const std::size_t count = source->read(block)) std::cout.write(block, std::streamsize(count));
/// \endcode
class ByteSource {
  public:
    /// A source is neither copied nor moved.
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// Reads at most into.size() bytes and returns their number. Returns as soon as one byte is there; 0 at
    /// the end.
    virtual std::size_t read(std::span<char> into) = 0;
    /// The name of the source in messages.
    virtual const std::string& name() const noexcept = 0;
    /// Whether the end came from a stop flag; the last bytes may then be half a line.
    virtual bool stopped() const noexcept { return false; }
};

/// Something that can be opened for reading: a file, standard input or bytes in memory. file_input and
/// memory_input make one.
///
/// \code
/// const Input input = memory_input("network", "from,to,capacity,free_time\na,b,100,5\n");
/// const NetworkFile file = read_network(input);
/// \endcode
struct Input {
    std::string name;         ///< name in messages
    bool rereadable = false;  ///< can be opened again from its start; else only once
    /// Opens it.
    std::function<std::unique_ptr<ByteSource>()> open;
};

/// A path, or "-" for standard input. `stop` ends a read that waits for more. Throws IoError at once if the
/// file is missing, unreadable or a directory.
Input file_input(const std::string& path, StopFlag stop = nullptr);
/// Bytes in memory, returned at most `piece` at a time.
Input memory_input(std::string name, std::string bytes, std::size_t piece = std::size_t{1} << 18U);

}  // namespace proxstream
