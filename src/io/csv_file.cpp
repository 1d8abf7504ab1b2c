#include "io/csv_file.hpp"

#include "io/row_splitter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace proxstream {

CsvFile::CsvFile(OutputFile file, std::string_view columns) : file_(std::move(file)) {
    if (file_.end().bytes > 0) return;
    pending_ = columns;
    pending_ += '\n';
    flush();
}

void CsvFile::add(Real value) {
    std::array<char, 32> buffer;
    if (std::isfinite(value))
        pending_.append(buffer.data(), std::to_chars(buffer.begin(), buffer.end(), value).ptr);
    pending_ += ',';
}

void CsvFile::add(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
    append_csv_field(pending_, line);
    pending_ += ',';
}

void CsvFile::end_row() {
    constexpr std::size_t kPiece = 4096;  // the buffer size of stdio
    pending_.back() = '\n';
    if (pending_.size() > kPiece) flush();
}

void CsvFile::flush() {
    if (pending_.empty()) return;
    file_.write(pending_);
    file_.flush();
    pending_.clear();
}

void CsvFile::mark(OutputMarks& marks) {
    flush();
    file_.mark(marks);
}

void CsvFile::close() {
    flush();
    file_.close();
}

}  // namespace proxstream
