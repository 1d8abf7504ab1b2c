#include "run/csv_reader.hpp"

#include "proxstream/core/error.hpp"

#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/table_columns.hpp"

#include <algorithm>
#include <cstring>

namespace proxstream {
namespace {

constexpr Index kMaxColumns = 1'000'000;
constexpr Index kMaxColumnName = 1000;  // bytes
// An unclosed quote would swallow the rest of the input; on a live stream, the reader would wait for ever.
constexpr Index kMaxQuotedLines = 1000;

bool is_blank(char c, char delimiter) noexcept {
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

const char* skip_blanks(const char* p, const char* last, char delimiter) noexcept {
    while (p != last && is_blank(*p, delimiter)) ++p;
    return p;
}

/// The place behind a number and the blanks around it; null if there is no number.
const char* parse_number_field(const char* p, const char* last, char delimiter, Real& number) noexcept {
    const char* end = parse_number(p, last, number);
    if (end != nullptr && (end == last || *end == delimiter)) return end;
    end = parse_number(skip_blanks(p, last, delimiter), last, number);
    return end == nullptr ? nullptr : skip_blanks(end, last, delimiter);
}

const char* find(const char* p, const char* last, char wanted) noexcept {
    const void* found = std::memchr(p, wanted, static_cast<std::size_t>(last - p));
    return found != nullptr ? static_cast<const char*>(found) : last;
}

}  // namespace

CsvReader::CsvReader(InputQueue inputs, TableOptions options, TargetRule target)
    : TableReader(std::move(options), std::move(target)), inputs_(std::move(inputs)), splitter_(delimiter_) {
    const char given = options_.delimiter;
    if (given != 0 && std::string_view(",;|\t ").find(given) == std::string_view::npos) {
        throw ConfigError("--delimiter: " + quoted_excerpt({&given, 1}) +
                          " is not allowed; use a comma, a semicolon, a bar, a tab or a blank");
    }
    if (inputs_.lines() == nullptr && !inputs_.advance()) throw ConfigError("no input is given");
    read_header();
}

/// The next line that is not blank.
bool CsvReader::next_record(std::string_view& record) {
    LineReader* lines = inputs_.lines();
    while (lines != nullptr && lines->next(record)) {
        if (std::any_of(record.begin(), record.end(), [&](char c) { return !is_blank(c, delimiter_); }))
            return true;
    }
    return false;
}

std::vector<std::string> CsvReader::header_names(std::string_view record) {
    std::vector<std::string> columns;
    for (const std::string_view field : splitter_.split(record, *inputs_.lines(), kMaxQuotedLines)) {
        const std::string_view name = options_.header ? without_blanks(field) : std::string_view{};
        if (columns.size() == kMaxColumns || name.size() > kMaxColumnName) {
            throw DamagedFile({inputs_.name(), inputs_.line(), columns.size() + 1, ""},
                              "this does not look like a line of column names",
                              "at most " + std::to_string(kMaxColumns) + " names of at most " +
                                  std::to_string(kMaxColumnName) + " bytes");
        }
        columns.push_back(name.empty() ? "c" + std::to_string(columns.size() + 1) : std::string(name));
    }
    return columns;
}

void CsvReader::read_header() {
    std::string_view record;
    delimiter_ = ',';
    if (!next_record(record)) {
        inputs_.close();
        throw DamagedFile({inputs_.name(), 0, 0, ""}, "the input is empty: it has no rows",
                          options_.header ? "a line of column names, then rows" : "rows");
    }
    delimiter_ = options_.delimiter != 0 ? options_.delimiter : find_delimiter(record, ',');
    splitter_ = RowSplitter(delimiter_);
    const std::vector<std::string> columns = header_names(record);
    if (!options_.header) inputs_.lines()->rewind();
    if (!columns_.empty()) {
        check_header(columns);
        return;
    }
    first_input_ = inputs_.name();
    look_ahead(columns.size());
    std::vector<Fields> rows;
    for (const RowAhead& row : ahead_) {
        if (!row.error) rows.emplace_back(row.fields.begin(), row.fields.end());
    }
    set_columns(columns, rows);
}

/// Reads the first rows of the first input. Their errors are thrown when read_row() reaches the row.
void CsvReader::look_ahead(Index columns) {
    std::string_view record;
    while (ahead_.size() < options_.look_ahead) {
        RowAhead row;
        try {
            if (!next_record(record)) break;
            row.line = line_ = inputs_.line();
            const auto& fields = splitter_.split(record, *inputs_.lines(), kMaxQuotedLines);
            row.fields.assign(fields.begin(), fields.end());
            check_count(fields.size(), columns);
        } catch (const DataError&) {
            row.line = inputs_.line();
            row.error = std::current_exception();
        }
        inputs_.count_row();
        ahead_.push_back(std::move(row));
    }
}

void CsvReader::check_header(const std::vector<std::string>& columns) const {
    const Index shared = std::min(columns.size(), columns_.size());
    for (Index i = 0; i < shared; ++i) {
        if (columns[i] == columns_[i]) continue;
        throw DamagedFile({inputs_.name(), inputs_.line(), i + 1, ""},
                          "the column is called '" + columns[i] + "'",
                          "'" + columns_[i] + "' as in " + first_input_);
    }
    if (columns.size() == columns_.size()) return;
    const bool longer = columns.size() > shared;
    throw DamagedFile({inputs_.name(), inputs_.line(), 0, ""},
                      std::to_string(columns.size()) + " columns: '" +
                          (longer ? columns[shared] : columns_[shared]) +
                          (longer ? "' is new" : "' is missing"),
                      std::to_string(columns_.size()) + " as in " + first_input_);
}

bool CsvReader::read_row(RowBlock& block) {
    if (!ahead_.empty()) return read_ahead(block);
    std::string_view record;
    while (!next_record(record)) {
        if (!inputs_.advance()) return false;
        try {
            read_header();
        } catch (...) {
            inputs_.close();
            throw;
        }
    }
    inputs_.count_row();
    line_ = inputs_.line();
    encoder_.begin();
    target_ = no_label_;
    // Any row that the fast path does not accept is read again by the slow path, which reports errors.
    if (delimiter_ == ' ' || !parse_plain(record)) {
        const auto& fields = splitter_.split(record, *inputs_.lines(), kMaxQuotedLines);
        check_count(fields.size(), columns_.size());
        take_fields(fields);
    }
    finish_row(block);
    return true;
}

bool CsvReader::read_ahead(RowBlock& block) {
    const RowAhead row = std::move(ahead_.front());
    ahead_.pop_front();
    line_ = row.line;
    if (row.error) std::rethrow_exception(row.error);
    fields_.assign(row.fields.begin(), row.fields.end());
    take_fields(fields_);
    finish_row(block);
    return true;
}

/// Reads a common row: no quotes, and a number in every column of numbers. Returns false for any other row.
bool CsvReader::parse_plain(std::string_view record) {
    const char* p = record.data();
    const char* const last = p + record.size();
    const Index columns = roles_.size();
    const View row = encoder_.row();
    for (Index column = 0; column < columns; ++column) {
        const std::int32_t place = places_[column];
        if (place >= 0 || (roles_[column] == kLabelColumn && number_label_)) {
            Real& number = place >= 0 ? row[static_cast<Index>(place)] : target_;
            p = parse_number_field(p, last, delimiter_, number);
            if (p == nullptr) return false;
        } else {
            // A number has no quotes. A quote in a text field may enclose delimiters.
            const char* end = find(p, last, delimiter_);
            if (find(p, end, '"') != end) return false;
            if (roles_[column] != kSkippedColumn &&
                !take_field(column, {p, static_cast<std::size_t>(end - p)}))
                return false;
            p = end;
        }
        const bool at_end = p == last;
        if (at_end != (column + 1 == columns)) return false;
        if (!at_end && *p++ != delimiter_) return false;
    }
    return true;
}

void CsvReader::check_count(Index fields, Index columns) const {
    if (fields == columns) return;
    throw DataError({inputs_.name(), line_, 0, ""}, "the row has " + std::to_string(fields) + " columns",
                    std::to_string(columns));
}

DataLocation CsvReader::locate(Index column) const {
    return {inputs_.name(), line_, column + 1, columns_.empty() ? "" : columns_[column]};
}

}  // namespace proxstream
