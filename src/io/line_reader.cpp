#include "io/line_reader.hpp"

#include "io/parse_number.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace proxstream {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{1} << 12U;
constexpr std::size_t kBlock = std::size_t{1} << 18U;  // what the buffer grows to on a source that keeps up
/// A million bytes of gzip hold a thousand million line breaks, which would be read for minutes.
constexpr std::uint64_t kMostBlankLines = 1'000'000;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::size_t max_line)
    : source_(std::move(source)), max_line_(std::max<std::size_t>(max_line, 1)), buffer_(kFirstBuffer) {}

std::string_view LineReader::record() const noexcept {
    std::string_view text(buffer_.data() + begin_, record_end_ - begin_);
    if (record_line_ == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return text;
}

bool LineReader::next(std::string_view& record_out) {
    begin_ = cursor_;
    if (in_overlong_ && !skip_overlong()) return false;
    record_line_ = lines_ + 1;
    if (!take_line()) {
        record_line_ = lines_;
        return false;
    }
    record_out = record();
    return true;
}

bool LineReader::extend(std::string_view& record_out) {
    if (!take_line()) return false;
    record_out = record();
    return true;
}

void LineReader::rewind() noexcept {
    cursor_ = begin_;
    lines_ = record_line_ - 1;
}

/// Moves cursor_ past the next line and record_end_ to its end.
bool LineReader::take_line() {
    std::size_t line_begin = cursor_;
    std::size_t searched = cursor_;
    for (;;) {
        const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
        const std::size_t stop =
            found ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) : end_;
        if (stop - begin_ > max_line_) {
            ++lines_;
            in_overlong_ = found == nullptr;
            cursor_ = found ? stop + 1 : end_;
            // Only as far as the limit, so that the answer does not depend on how many bytes arrived at once.
            refuse_binary(line_begin, std::max(line_begin, begin_ + max_line_));
            throw DataError({name(), lines_, 0, ""},
                            "the line is longer than the limit of " + std::to_string(max_line_) + " bytes",
                            "line breaks between the rows");
        }
        searched = end_;
        if (found == nullptr) {
            const std::size_t before = begin_;
            if (fill()) {
                line_begin -= before - begin_;
                searched -= before - begin_;
                continue;
            }
            // A reader that was stopped, or whose source broke, may hold half a line: that is not a row.
            if (cursor_ == end_ || source_->stopped()) return false;
        }
        ++lines_;
        cursor_ = found ? stop + 1 : end_;
        record_end_ = stop > line_begin && buffer_[stop - 1] == '\r' ? stop - 1 : stop;
        refuse_binary(line_begin, stop);
        count_blank({buffer_.data() + line_begin, record_end_ - line_begin});
        return true;
    }
}

/// Counts blank lines in sequence. Too many of them end the input.
void LineReader::count_blank(std::string_view line) {
    const bool begins = !line.empty() && line.front() > ' ';  // most lines need no search
    blank_lines_ = !begins && without_blanks(line).empty() ? blank_lines_ + 1 : 0;
    if (blank_lines_ <= kMostBlankLines) return;
    ended_ = true;
    cursor_ = end_;  // nothing more is read
    throw DamagedFile({name(), lines_, 0, ""},
                      "more than " + std::to_string(kMostBlankLines) + " blank lines follow each other",
                      "rows");
}

/// More bytes behind those held; moves the record to the front or enlarges the buffer to make room.
bool LineReader::fill() {
    if (ended_) return false;
    if (begin_ != 0 && (begin_ == end_ || end_ == buffer_.size())) {
        if (zero_ < begin_) zero_ = find_zero(begin_);
        zero_ -= begin_;
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        dropped_ += begin_;
        cursor_ -= begin_;
        end_ -= begin_;
        begin_ = 0;
    }
    // take_line() refuses a record before it fills twice max_line_, so the buffer cannot grow beyond that.
    if (end_ == buffer_.size() || (filled_ && buffer_.size() < kBlock)) buffer_.resize(2 * buffer_.size());
    try {
        const std::size_t count = source_->read(std::span(buffer_).subspan(end_));
        const std::size_t held = end_;
        end_ += count;
        if (zero_ == held) zero_ = find_zero(held);
        filled_ = end_ == buffer_.size();
        ended_ = count == 0;
    } catch (...) {
        ended_ = true;
        begin_ = cursor_ = end_;  // half a line in front of the damage is not delivered
        throw;
    }
    return !ended_;
}

bool LineReader::skip_overlong() {
    for (;;) {
        const void* found = std::memchr(buffer_.data() + cursor_, '\n', end_ - cursor_);
        if (found != nullptr) {
            cursor_ = begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
            in_overlong_ = false;
            return true;
        }
        cursor_ = begin_ = end_;
        if (!fill()) return false;
    }
}

std::size_t LineReader::find_zero(std::size_t from) const noexcept {
    const void* zero = std::memchr(buffer_.data() + from, '\0', end_ - from);
    return zero ? static_cast<std::size_t>(static_cast<const char*>(zero) - buffer_.data()) : end_;
}

/// Zero bytes are searched for as blocks arrive, so that a line costs one comparison.
void LineReader::refuse_binary(std::size_t from, std::size_t to) {
    if (zero_ < from) zero_ = find_zero(from);
    if (zero_ >= to) return;
    throw DataError(
        {name(), lines_, 0, ""},
        "looks like a binary file (a zero byte at offset " + std::to_string(dropped_ + zero_) + ")",
        "text in ASCII or UTF-8, plain or gzip");
}

bool next_full_line(LineReader& lines, std::string_view& line) {
    while (lines.next(line)) {
        if (!without_blanks(line).empty()) return true;
    }
    return false;
}

std::string read_all(const Input& input) {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    constexpr std::size_t kMost = std::size_t{1} << 29U;
    const auto source = input.open();
    std::string bytes;
    for (;;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        const std::size_t count = source->read(std::span(bytes).subspan(before));
        bytes.resize(before + count);
        if (count == 0) return bytes;
        if (bytes.size() > kMost) {
            throw DamagedFile({input.name, 0, 0, ""},
                              "the file is larger than the limit of " + std::to_string(kMost) + " bytes",
                              "a network or a demand matrix");
        }
    }
}

InputQueue::InputQueue(std::vector<Input> inputs, std::size_t max_line)
    : inputs_(std::move(inputs)), max_line_(max_line) {}

void InputQueue::close() {
    if (lines_) last_line_ = lines_->line();
    lines_.reset();
}

bool InputQueue::advance() {
    if (lines_) {
        const bool empty = rows_ == 0 && !lines_->stopped();
        close();
        if (empty) throw DamagedFile({name_, 0, 0, ""}, "the input has no rows", "at least one row of data");
    }
    if (next_ == inputs_.size()) return false;
    const Input& input = inputs_[next_++];
    name_ = input.name;
    rows_ = 0;
    last_line_ = 0;
    lines_ = std::make_unique<LineReader>(input.open(), max_line_);
    return true;
}

}  // namespace proxstream
