/// Output files. Every write is checked: a full disk is an IoError at that write, never a silently short
/// file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace proxstream {

/// A file written line by line; "-" is standard output.
class OutputFile {
  public:
    explicit OutputFile(std::string path, bool append = false);

    /// Continues a file after its first `bytes`; the rest is dropped. Throws DataError, and drops nothing, if
    /// it has fewer or is not a plain file.
    static OutputFile continue_after(std::string path, std::uint64_t bytes);

    void write(std::string_view text);
    /// Hands everything to the operating system.
    void flush();
    /// Flushes, synchronises with the disk and closes. A destroyed file that was not closed may be short.
    void close();

    /// Flushes and returns the number of bytes in the file, for continue_after().
    std::uint64_t bytes();

    const std::string& path() const noexcept { return path_; }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept;
    };
    [[noreturn]] void fail(const char* action) const;

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

/// Replaces `path` by `content` in one step: readers see the old file or the new one, never half of one. A
/// path that is no plain file (a device, a pipe, a link) is written to directly.
void write_whole_file(const std::string& path, std::string_view content);
/// Throws IoError.
std::string read_whole_file(const std::string& path);

}  // namespace proxstream
