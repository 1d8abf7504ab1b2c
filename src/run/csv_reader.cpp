#include "run/csv_reader.hpp"

#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/csv_columns.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace proxstream {
namespace {

constexpr Index kMaxColumns = 1'000'000;
constexpr Index kMaxColumnName = 1000;  // bytes
// A quote that is never closed would swallow the rest of the input, and on a live stream wait for ever.
constexpr Index kMaxQuotedLines = 1000;

bool is_blank(char c, char delimiter) noexcept {
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

const char* skip_blanks(const char* p, const char* last, char delimiter) noexcept {
    while (p != last && is_blank(*p, delimiter)) ++p;
    return p;
}

const char* find(const char* p, const char* last, char wanted) noexcept {
    const void* found = std::memchr(p, wanted, static_cast<std::size_t>(last - p));
    return found != nullptr ? static_cast<const char*>(found) : last;
}

}  // namespace

CsvReader::CsvReader(InputQueue inputs, CsvOptions options, TargetRule target)
    : inputs_(std::move(inputs)),
      options_(std::move(options)),
      target_parser_(std::move(target)),
      splitter_(delimiter_) {
    number_label_ = target_parser_.rule().kind == TargetKind::number && target_parser_.rule().classes.empty();
    const char given = options_.delimiter;
    if (given != 0 && given != ',' && given != ';' && given != '\t') {
        throw ConfigError("--delimiter: " + quoted_excerpt({&given, 1}) +
                          " is not allowed; use a comma, a semicolon or a tab");
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
    if (!options_.header) inputs_.lines()->rewind();
    if (!columns_.empty()) {
        check_header(columns);
        return;
    }
    ColumnRoles assigned = assign_columns(inputs_.name(), columns, options_, target_parser_.rule());
    columns_ = std::move(columns);
    roles_ = std::move(assigned.roles);
    feature_names_ = std::move(assigned.feature_names);
    label_name_ = std::move(assigned.label_name);
    first_input_ = inputs_.name();
    row_.resize(feature_names_.size());
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
    assert(!block.sparse());
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
    // Errors are worded in one place: whatever the fast path does not take is read again with care.
    if (!parse_plain(record)) parse_thoroughly(record);
    block.add_dense(row_, target_);
    return true;
}

/// The common row: no quotes, numbers where numbers belong. False if anything is unusual.
bool CsvReader::parse_plain(std::string_view record) {
    const char* p = record.data();
    const char* const last = p + record.size();
    const Index columns = roles_.size();
    for (Index column = 0; column < columns; ++column) {
        const std::int32_t role = roles_[column];
        if (role >= 0 || (role == kLabelColumn && number_label_)) {
            Real& number = role >= 0 ? row_[static_cast<Index>(role)] : target_;
            const char* end = parse_number(p, last, number);
            if (end == nullptr || (end != last && *end != delimiter_)) {  // blanks, or no number
                end = parse_number(skip_blanks(p, last, delimiter_), last, number);
                if (end == nullptr) return false;
                end = skip_blanks(end, last, delimiter_);
            }
            p = end;
        } else {
            // No number holds a quote; here one may open, and the delimiter behind it be none.
            const char* end = find(p, last, delimiter_);
            if (find(p, end, '"') != end) return false;
            if (role == kLabelColumn &&
                !target_parser_.parse({p, static_cast<std::size_t>(end - p)}, target_)) {
                return false;
            }
            p = end;
        }
        const bool at_end = p == last;
        if (at_end != (column + 1 == columns)) return false;
        if (!at_end && *p++ != delimiter_) return false;
    }
    return true;
}

void CsvReader::parse_thoroughly(std::string_view record) {
    const auto& fields = splitter_.split(record, *inputs_.lines(), kMaxQuotedLines);
    if (fields.size() != columns_.size()) {
        throw DataError({inputs_.name(), inputs_.line(), 0, ""},
                        "the row has " + std::to_string(fields.size()) + " columns",
                        std::to_string(columns_.size()));
    }
    for (Index column = 0; column < fields.size(); ++column) parse_field(column, fields[column]);
}

void CsvReader::parse_field(Index column, std::string_view text) {
    const std::int32_t role = roles_[column];
    if (role == kLabelColumn) {
        if (target_parser_.parse(text, target_)) return;
        if (target_parser_.rule().kind == TargetKind::number) {
            throw DataError(locate(column), describe_bad_number(text), target_parser_.allowed());
        }
        const bool empty = without_blanks(text).empty();
        throw DataError(locate(column),
                        empty ? "the label is empty" : "unknown label " + quoted_excerpt(text),
                        target_parser_.allowed());
    }
    if (role >= 0 && !parse_whole_number(text, row_[static_cast<Index>(role)])) {
        refuse_number(column, text);
    }
}

void CsvReader::refuse_number(Index column, std::string_view text) const {
    const bool has_text = text.find_first_not_of(" \t+-.0123456789eE") != std::string_view::npos;
    throw DataError(locate(column), describe_bad_number(text),
                    has_text ? "a finite number; ignore a column of text with --ignore " + columns_[column]
                             : "a finite number");
}

DataLocation CsvReader::locate(Index column) const {
    return {inputs_.name(), inputs_.line(), column + 1, columns_.empty() ? "" : columns_[column]};
}

}  // namespace proxstream
