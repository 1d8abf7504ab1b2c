#include "traffic/text_table.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>

namespace proxstream {
namespace {

char find_separator(std::string_view line) {
    for (const char candidate : {',', ';', '\t'}) {
        if (line.find(candidate) != std::string_view::npos) return candidate;
    }
    return ' ';
}

bool goes_by(const TableColumn& column, std::string_view name) {
    return std::find(column.known.begin(), column.known.end(), bare_name(name)) != column.known.end();
}

}  // namespace

RowSplitter::RowSplitter(std::string_view first_line) : separator_(find_separator(first_line)) {}

const std::vector<std::string_view>& RowSplitter::split(std::string_view line, const LineReader& at) {
    if (line.find('"') != std::string_view::npos) {
        split_quoted(line, at);
    } else if (separator_ == ' ') {
        split_at_blanks(line, fields_);
    } else {
        split_at(line, separator_, fields_);
    }
    return fields_;
}

void RowSplitter::split_quoted(std::string_view line, const LineReader& at) {
    fields_.clear();
    unescaped_.clear();
    unescaped_.reserve(line.size());  // fields point into it: it must not move
    const auto refuse = [&](const char* problem, const char* expected) {
        throw DataError({at.name(), at.line(), fields_.size() + 1, ""}, problem, expected);
    };
    const auto skip_blanks = [&](std::size_t from) {
        while (from < line.size() && line[from] != separator_ && (line[from] == ' ' || line[from] == '\t')) {
            ++from;
        }
        return from;
    };
    for (std::size_t begin = 0;;) {
        begin = skip_blanks(begin);
        if (separator_ == ' ' && begin == line.size()) return;
        std::size_t end = begin;
        if (begin < line.size() && line[begin] == '"') {
            const std::size_t from = unescaped_.size();
            for (end = begin + 1;; ++end) {
                if (end == line.size()) refuse("the quote that opens here is not closed", "a closing quote");
                if (line[end] == '"' && (end + 1 == line.size() || line[++end] != '"')) break;
                unescaped_ += line[end];
            }
            if (end < line.size() && line[end] == '"') ++end;
            fields_.push_back(std::string_view(unescaped_).substr(from));
            end = skip_blanks(end);
            if (end < line.size() && line[end] != separator_) {
                refuse("text follows the closing quote", "a separator there");
            }
        } else {
            end = std::min(line.find(separator_, begin), line.size());
            fields_.push_back(without_blanks(line.substr(begin, end - begin)));
        }
        if (end == line.size()) return;
        begin = end + 1;
    }
}

bool names_columns(std::string_view line, std::span<const TableColumn> columns) {
    std::vector<std::string_view> names;
    const char separator = find_separator(line);
    if (separator == ' ') {
        split_at_blanks(line, names);
    } else {
        split_at(line, separator, names);
    }
    return std::all_of(columns.begin(), columns.end(), [&](const TableColumn& column) {
        return !column.needed || std::any_of(names.begin(), names.end(),
                                             [&](std::string_view name) { return goes_by(column, name); });
    });
}

TextTable::TextTable(std::unique_ptr<LineReader> lines, std::span<const TableColumn> columns, Style style)
    : lines_(std::move(lines)), columns_(columns), style_(style), places_(columns.size()) {
    std::string_view line;
    if (!next_line(line)) {
        throw DamagedFile({lines_->name(), 0, 0, ""}, "the file is empty", "a line of names: " + allowed());
    }
    splitter_.emplace(line);
    read_names(line);
}

bool TextTable::next_line(std::string_view& line) {
    while (lines_->next(line)) {
        if (style_ == Style::tntp) {
            line = line.substr(0, line.find('~'));
            line = without_blanks(line);
            if (line.ends_with(';')) line = without_blanks(line.substr(0, line.size() - 1));
            if (line.starts_with('<')) continue;
        }
        if (!without_blanks(line).empty()) return true;
    }
    return false;
}

void TextTable::read_names(std::string_view line) {
    const auto& names = splitter_->split(line, *lines_);
    width_ = names.size();
    for (Index i = 0; i < names.size(); ++i) {
        const DataLocation where{lines_->name(), lines_->line(), i + 1, ""};
        const auto column = std::find_if(columns_.begin(), columns_.end(),
                                         [&](const TableColumn& known) { return goes_by(known, names[i]); });
        if (column == columns_.end()) {
            if (style_ == Style::tntp) continue;
            throw DamagedFile(where, "unknown column " + quoted_excerpt(names[i]), allowed());
        }
        auto& place = places_[static_cast<Index>(column - columns_.begin())];
        if (place) {
            throw DamagedFile(where,
                              "column " + std::to_string(*place + 1) + " is " + column->name + " already",
                              "every column once");
        }
        place = i;
    }
    for (Index i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].needed || places_[i]) continue;
        throw DamagedFile(here(), std::string("there is no column ") + columns_[i].name,
                          "a line of names: " + allowed());
    }
}

std::string TextTable::allowed() const {
    std::string needed;
    std::string optional;
    for (const TableColumn& column : columns_) {
        std::string& list = column.needed ? needed : optional;
        list += (list.empty() ? "" : ", ") + std::string(column.name);
    }
    return needed + (optional.empty() ? "" : ", and where wanted " + optional);
}

bool TextTable::next() {
    std::string_view line;
    if (!next_line(line)) return false;
    fields_ = &splitter_->split(line, *lines_);
    if (fields_->size() == width_) return true;
    throw DataError(here(), "the row has " + count_of(fields_->size(), "value"), std::to_string(width_));
}

std::string_view TextTable::text(Index column) const {
    return places_[column] ? (*fields_)[*places_[column]] : std::string_view{};
}

Real TextTable::amount(Index column) const {
    return read_amount(text(column), [&] { return locate(column); });
}

Real TextTable::amount_or(Index column, Real fallback) const {
    return text(column).empty() ? fallback : amount(column);
}

Real TextTable::number(Index column) const {
    return read_number(text(column), [&] { return locate(column); });
}

DataLocation TextTable::locate(Index column) const {
    return {lines_->name(), lines_->line(), places_[column].value_or(0) + 1, columns_[column].name};
}

}  // namespace proxstream
