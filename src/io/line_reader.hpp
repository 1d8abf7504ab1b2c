/// Splits a byte source into lines without copying or allocating per line, and walks through several inputs.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

inline constexpr std::size_t kDefaultMaxLine = std::size_t{64} << 20U;  // bytes

/// Lines end with LF or CRLF; the last needs no ending. A UTF-8 byte order mark is dropped. Views stay valid
/// until the next call. After a DataError the following line can be read.
class LineReader {
  public:
    explicit LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line = kDefaultMaxLine);

    /// The next line starts a new record. False at the end.
    bool next(std::string_view& record);
    /// Lengthens the record by the following line, its line break included. False at the end.
    bool extend(std::string_view& record);
    /// Forgets that the record was read: next() returns its first line again.
    void rewind() noexcept;

    const std::string& name() const noexcept { return source_->name(); }
    std::uint64_t line() const noexcept { return record_line_; }  // of the record's first line, from 1
    /// The record's place, for error messages.
    DataLocation here(std::string field = {}, std::uint64_t column = 0) const {
        return {name(), line(), column, std::move(field)};
    }
    bool stopped() const noexcept { return source_->stopped(); }
    /// Bytes held, for tests that memory stays bounded.
    std::size_t capacity() const noexcept { return buffer_.size(); }

  private:
    bool take_line();
    void count_blank(std::string_view line);
    bool fill();
    bool skip_overlong();
    void refuse_binary(std::size_t from, std::size_t to);
    std::size_t find_zero(std::size_t from) const noexcept;
    std::string_view record() const noexcept;

    std::unique_ptr<ByteSource> source_;
    std::size_t max_line_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;       // the record
    std::size_t record_end_ = 0;  // without its line break
    std::size_t cursor_ = 0;      // the line after it
    std::size_t end_ = 0;         // of the bytes held
    std::size_t zero_ = 0;        // the first zero byte behind the lines taken so far; end_ if there is none
    std::uint64_t dropped_ = 0;   // bytes of the source in front of buffer_[0]
    std::uint64_t record_line_ = 0;
    std::uint64_t lines_ = 0;        // lines taken so far
    std::uint64_t blank_lines_ = 0;  // at the end of these
    bool filled_ = false;            // the last read left no room
    bool ended_ = false;
    bool in_overlong_ = false;  // the rest of a refused line is still to be skipped
};

/// The next line that is not blank; false at the end.
bool next_full_line(LineReader& lines, std::string_view& line);

/// All bytes of an input, gunzipped. Throws DamagedFile for more than 512 MiB.
std::string read_all(const Input& input);

/// Several inputs, one after the other.
class InputQueue {
  public:
    InputQueue(std::vector<Input> inputs, std::size_t max_line);

    /// The current input's lines; null before the first advance() and after close().
    LineReader* lines() noexcept { return lines_.get(); }
    /// Opens the next input; false when there is none. Throws DamagedFile, once, if the current one is
    /// leaving without a row.
    bool advance();
    void count_row() noexcept { ++rows_; }
    void close();

    const std::vector<Input>& inputs() const noexcept { return inputs_; }
    std::size_t max_line() const noexcept { return max_line_; }
    const std::string& name() const noexcept { return name_; }
    std::uint64_t line() const noexcept { return lines_ ? lines_->line() : last_line_; }

  private:
    std::vector<Input> inputs_;
    std::size_t max_line_;
    std::size_t next_ = 0;
    std::unique_ptr<LineReader> lines_;
    std::uint64_t rows_ = 0;  // of the current input
    std::uint64_t last_line_ = 0;
    std::string name_;
};

}  // namespace proxstream
