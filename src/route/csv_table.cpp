#include "route/csv_table.hpp"

#include "proxstream/core/error.hpp"

#include "io/describe_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <utility>

namespace proxstream {

CsvTable::CsvTable(std::string path, std::span<const std::string_view> columns)
    : path_(std::move(path)), columns_(columns), file_(path_, std::ios::binary) {
    if (!file_) throw IoError(path_, "cannot be read", errno);
    std::string wanted;
    for (const std::string_view column : columns_) (wanted += wanted.empty() ? "" : ",") += column;
    if (!read_line()) throw DataError({path_, 1, 0, ""}, "the file is empty", wanted);
    if (row_ != wanted) throw DataError({path_, 1, 0, ""}, "other columns: " + quoted_excerpt(row_), wanted);
}

bool CsvTable::read_line() {
    if (!std::getline(file_, row_)) {
        if (file_.bad()) throw IoError(path_, "cannot be read", errno);
        return false;
    }
    ++line_;
    if (file_.eof()) {
        throw DataError({path_, line_, 0, ""}, "the last line is cut off: " + quoted_excerpt(row_),
                        "a line break at its end");
    }
    return true;
}

/// The field that starts at `at`, which moves to the comma behind it or to the end.
std::string_view CsvTable::take_field(std::size_t& at) {
    const std::string_view row = row_;
    if (at == row.size() || row[at] != '"') {
        const std::size_t begin = at;
        at = std::min(row.find(',', at), row.size());
        return row.substr(begin, at - begin);
    }
    const auto fail = [&](const char* problem) {
        throw DataError({path_, line_, fields_.size() + 1, ""}, problem, "a field between two quotes");
    };
    const std::size_t from = unescaped_.size();
    for (++at;; ++at) {
        const std::size_t quote = row.find('"', at);
        if (quote == std::string_view::npos) fail("a quote is not closed");
        unescaped_ += row.substr(at, quote - at);
        at = quote + 1;
        if (at == row.size() || row[at] != '"') break;
        unescaped_ += '"';
    }
    if (at < row.size() && row[at] != ',') fail("text follows a closing quote");
    return std::string_view(unescaped_).substr(from);
}

bool CsvTable::next() {
    held_ = false;
    if (!read_line()) return false;
    fields_.clear();
    unescaped_.clear();
    unescaped_.reserve(row_.size());  // fields point into it: it must not move
    for (std::size_t at = 0;; ++at) {
        fields_.push_back(take_field(at));
        if (at == row_.size()) break;
    }
    if (fields_.size() != columns_.size()) {
        throw DataError({path_, line_, 0, ""}, "the row has " + std::to_string(fields_.size()) + " fields",
                        std::to_string(columns_.size()));
    }
    return true;
}

bool CsvTable::next_of(Index period) {
    if (!held_ && !next()) return false;
    const Index its = count(0);
    if (its < period) {
        refuse(0, "period " + std::to_string(its) + " after " + std::to_string(period),
               "periods that ascend");
    }
    held_ = its > period;
    return !held_;
}

Real CsvTable::number_or_none(Index column) const {
    return empty(column) ? std::numeric_limits<Real>::quiet_NaN() : number(column);
}

Real CsvTable::number(Index column) const {
    const std::string_view field = fields_[column];
    Real value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value)) {
        refuse(column, describe_bad_number(field), "a finite number");
    }
    return value;
}

Index CsvTable::count(Index column) const {
    const std::string_view field = fields_[column];
    Index value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
        refuse(column, quoted_excerpt(field) + " is not a whole number", "one of 0 or more");
    }
    return value;
}

Index CsvTable::index(Index column, Index end, std::string_view of) const {
    const Index value = count(column);
    if (value < end) return value;
    refuse(column, "there is no " + std::string(of) + " " + std::to_string(value),
           "one of 0 to " + std::to_string(end) + ", the end excluded");
}

void CsvTable::refuse(Index column, const std::string& problem, const std::string& expected) const {
    throw DataError({path_, line_, column + 1, std::string(columns_[column])}, problem, expected);
}

}  // namespace proxstream
