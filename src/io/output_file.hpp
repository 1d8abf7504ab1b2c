/// Output files. Every write is checked: a full disk is an IoError at that write, never a silently short
/// file.
#pragma once

#include "io/output_mark.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace proxstream {

/// A file written line by line; "-" is standard output.
class OutputFile {
  public:
    /// Written in place: an existing file is emptied at once.
    explicit OutputFile(std::string path, bool append = false);

    /// Leaves an existing file as it is until close(): the new one grows beside it and then takes its name.
    /// It is written in place where there is none yet, if it is a device, a pipe or "-", and if a later
    /// process `continues` it.
    static OutputFile fresh(std::string path, bool continues = false);

    /// Continues a file after its first `bytes`; the rest is dropped. Throws DataError, and drops nothing, if
    /// it has fewer or is not a plain file.
    static OutputFile continue_after(std::string path, std::uint64_t bytes);

    void write(std::string_view text);
    /// Hands everything to the operating system.
    void flush();
    /// Flushes, synchronises with the disk and closes. A destroyed file that was not closed may be short; one
    /// that would replace another is removed.
    void close();

    /// What was written so far, and what continue_after() kept.
    const OutputMark& end() const noexcept { return end_; }
    /// Flushes, synchronises with the disk, and notes the end of a plain file.
    void mark(OutputMarks& marks);

    /// Whether the file takes the place of another one in close().
    bool replaces() const noexcept { return part_ != nullptr; }
    const std::string& path() const noexcept { return path_; }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept;
    };
    struct Remove {
        void operator()(const std::string* file) const noexcept;
    };
    OutputFile(std::string path, const std::string& target);
    bool synchronise();
    [[noreturn]] void fail(const char* action) const;
    friend void write_whole_file(const std::string& path, std::string_view content);

    std::string path_;
    std::string target_ = {};                          // takes the place of this file, links followed
    std::unique_ptr<const std::string, Remove> part_;  // the name until then; null: written in place
    std::unique_ptr<std::FILE, Close> file_;
    OutputMark end_ = {};
};

/// Replaces `path` by `content` in one step: readers see the old file or the new one, never half of one.
/// Links are followed. What is no plain file (a device, a pipe) is written to directly.
void write_whole_file(const std::string& path, std::string_view content);
bool is_regular_file(const std::string& path);
/// Throws IoError, and DataError for more than `most` bytes.
std::string read_whole_file(const std::string& path, std::size_t most = std::string::npos);

}  // namespace proxstream
