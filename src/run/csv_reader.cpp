#include "run/csv_reader.hpp"

#include "io/describe_text.hpp"
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

/// The candidate that occurs most often outside quotes.
char find_delimiter(std::string_view line) {
    constexpr char kCandidates[] = {',', ';', '\t'};
    Index counts[] = {0, 0, 0};
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        for (Index i = 0; i < 3; ++i) counts[i] += !quoted && c == kCandidates[i] ? 1 : 0;
    }
    return kCandidates[std::max_element(counts, counts + 3) - counts];
}

}  // namespace

CsvReader::CsvReader(InputQueue inputs, CsvOptions options, TargetRule target)
    : inputs_(std::move(inputs)), options_(std::move(options)), target_parser_(std::move(target)) {
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
    delimiter_ = options_.delimiter != 0 ? options_.delimiter : find_delimiter(record);
    split_whole(record);
    std::vector<std::string> columns;
    for (const Field& field : fields_) {
        const std::string_view name = options_.header ? without_blanks(field.text) : std::string_view{};
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
    split_whole(record);
    if (fields_.size() != columns_.size()) {
        throw DataError({inputs_.name(), inputs_.line(), 0, ""},
                        "the row has " + std::to_string(fields_.size()) + " columns",
                        std::to_string(columns_.size()));
    }
    for (Index column = 0; column < fields_.size(); ++column) parse_field(column);
}

void CsvReader::parse_field(Index column) {
    const Field& field = fields_[column];
    const std::int32_t role = roles_[column];
    if (role == kLabelColumn) {
        if (target_parser_.parse(field.text, target_)) return;
        if (target_parser_.rule().kind == TargetKind::number) {
            throw DataError(locate(column), describe_bad_number(field.text), target_parser_.allowed());
        }
        const bool empty = without_blanks(field.text).empty();
        throw DataError(locate(column),
                        empty ? "the label is empty" : "unknown label " + quoted_excerpt(field.text),
                        target_parser_.allowed());
    }
    if (role >= 0 && !parse_whole_number(field.text, row_[static_cast<Index>(role)])) {
        refuse_number(column, field.text);
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

/// Fills fields_ from a record that may go on over several lines, as a quoted field may hold line breaks.
void CsvReader::split_whole(std::string_view& record) {
    LineReader& lines = *inputs_.lines();
    Index count = 1;
    while (!split(record)) {
        const std::size_t before = record.size();
        do {
            if (count++ < kMaxQuotedLines && lines.extend(record)) continue;
            // Reading goes on with the line after the one that opened the quote.
            lines.rewind();
            lines.next(record);
            throw DataError({inputs_.name(), inputs_.line(), fields_.size(), ""},
                            "the quote that opens here is not closed",
                            "a closing quote within " + std::to_string(kMaxQuotedLines) + " lines");
        } while (record.find('"', before) == std::string_view::npos);
    }
    const auto stray =
        std::find_if(fields_.begin(), fields_.end(), [](const Field& field) { return field.stray; });
    if (stray == fields_.end()) return;
    throw DataError(
        {inputs_.name(), inputs_.line(), static_cast<std::uint64_t>(stray - fields_.begin()) + 1, ""},
        "text follows the closing quote", "a delimiter there, and \"\" for a quote inside a quoted field");
}

/// Fills fields_ with the fields of `record`. False if its last field is quoted and goes on after the end.
bool CsvReader::split(std::string_view record) {
    fields_.clear();
    unescaped_.clear();
    unescaped_.reserve(record.size());  // fields point into it: it must not move
    const char* p = record.data();
    const char* const last = p + record.size();
    for (;;) {
        Field field;
        const char* start = skip_blanks(p, last, delimiter_);
        if (start != last && *start == '"') {
            field.quoted = true;
            const std::size_t from = unescaped_.size();
            const char* close = find(start + 1, last, '"');
            for (p = start + 1; close != last && close + 1 != last && close[1] == '"';
                 p = close + 2, close = find(p, last, '"')) {
                unescaped_.append(p, close + 1);
            }
            unescaped_.append(p, close);
            field.text = std::string_view(unescaped_).substr(from);
            if (close == last) {
                fields_.push_back(field);
                return false;
            }
            p = skip_blanks(close + 1, last, delimiter_);
            field.stray = p != last && *p != delimiter_;
            p = find(p, last, delimiter_);
        } else {
            const char* end = find(p, last, delimiter_);
            field.text = {p, static_cast<std::size_t>(end - p)};
            p = end;
        }
        fields_.push_back(field);
        if (p == last) return true;
        ++p;
    }
}

}  // namespace proxstream
