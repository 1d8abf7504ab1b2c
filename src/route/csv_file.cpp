#include "route/csv_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace proxstream {
namespace {

/// What stdio hands over in one piece.
constexpr std::size_t kPiece = 4096;

}  // namespace

CsvFile::CsvFile(const std::string& path, std::span<const std::string_view> columns) : file_(path) {
    for (const std::string_view column : columns) text(column);
    end_row();
    flush();
}

void CsvFile::separate() {
    if (!first_) pending_ += ',';
    first_ = false;
}

CsvFile& CsvFile::number(Real value) {
    separate();
    if (!std::isfinite(value)) return *this;
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    pending_.append(buffer.data(), end);
    return *this;
}

CsvFile& CsvFile::integer(std::uint64_t value) {
    separate();
    pending_ += std::to_string(value);
    return *this;
}

CsvFile& CsvFile::text(std::string_view value) {
    separate();
    const std::size_t from = pending_.size();
    pending_ += value;
    std::replace_if(
        pending_.begin() + static_cast<std::ptrdiff_t>(from), pending_.end(),
        [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
    if (value.find_first_of(",\"") == std::string_view::npos && !value.starts_with(' ') &&
        !value.ends_with(' ')) {
        return *this;
    }
    for (std::size_t at = from; (at = pending_.find('"', at)) != std::string::npos; at += 2) {
        pending_.insert(at, 1, '"');
    }
    pending_.insert(from, 1, '"');
    pending_ += '"';
    return *this;
}

void CsvFile::end_row() {
    pending_ += '\n';
    first_ = true;
    if (pending_.size() > kPiece) hand_over(whole_);
    whole_ = pending_.size();
}

void CsvFile::hand_over(std::size_t bytes) {
    if (bytes == 0) return;
    file_.write(std::string_view(pending_).substr(0, bytes));
    file_.flush();
    pending_.erase(0, bytes);
}

void CsvFile::flush() {
    hand_over(whole_);
    whole_ = 0;
}

std::uint64_t CsvFile::bytes() {
    flush();
    return file_.bytes();
}

void CsvFile::close() {
    flush();
    file_.close();
}

}  // namespace proxstream
