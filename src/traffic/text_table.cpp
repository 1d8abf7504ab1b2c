#include "traffic/text_table.hpp"

#include <algorithm>

namespace proxstream {

bool TableColumn::is_called(std::string_view text) const {
    std::vector<std::string_view> names;
    split_at_blanks(known, names);
    return std::find(names.begin(), names.end(), bare_name(text)) != names.end();
}

bool names_columns(std::string_view line, std::span<const TableColumn> columns) {
    std::vector<std::string_view> names;
    const char delimiter = find_delimiter(line, ' ');
    if (delimiter == ' ') {
        split_at_blanks(line, names);
    } else {
        split_at(line, delimiter, names);
    }
    return std::all_of(columns.begin(), columns.end(), [&](const TableColumn& column) {
        return !column.needed || std::any_of(names.begin(), names.end(),
                                             [&](std::string_view name) { return column.is_called(name); });
    });
}

TextTable::TextTable(LineReader& lines, std::span<const TableColumn> columns, Style style)
    : lines_(lines), columns_(columns), style_(style), places_(columns.size()) {
    std::string_view line;
    if (!next_line(line)) {
        throw DamagedFile({lines_.name(), 0, 0, ""}, "the file is empty", "a line of names: " + allowed());
    }
    splitter_.emplace(find_delimiter(line, ' '));
    read_names(line);
}

bool TextTable::next_line(std::string_view& line) {
    while (lines_.next(line)) {
        if (style_ == Style::tntp) {
            line = without_blanks(line.substr(0, line.find('~')));
            if (line.ends_with(';')) line = without_blanks(line.substr(0, line.size() - 1));
            if (line.starts_with('<')) continue;
        }
        if (!without_blanks(line).empty()) return true;
    }
    return false;
}

void TextTable::read_names(std::string_view line) {
    const auto& names = splitter_->split(line, lines_);
    width_ = names.size();
    for (Index i = 0; i < names.size(); ++i) {
        const DataLocation where = lines_.here({}, i + 1);
        const auto column = std::find_if(columns_.begin(), columns_.end(),
                                         [&](const TableColumn& known) { return known.is_called(names[i]); });
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
    return needed + (optional.empty() ? "" : ", and optionally " + optional);
}

bool TextTable::next() {
    std::string_view line;
    if (!next_line(line)) return false;
    fields_ = &splitter_->split(line, lines_);
    if (fields_->size() == width_) return true;
    throw DataError(here(), "the row has " + count_of(fields_->size(), "value"), std::to_string(width_));
}

std::string_view TextTable::text(Index column) const {
    return places_[column] ? (*fields_)[*places_[column]] : std::string_view{};
}

std::string_view TextTable::needed_text(Index column, const char* what) const {
    if (!text(column).empty()) return text(column);
    throw DataError(locate(column), "the field is empty", what);
}

Real TextTable::amount(Index column) const {
    return read_amount(text(column), [&] { return locate(column); });
}

Real TextTable::amount_or(Index column, Real fallback) const {
    return text(column).empty() ? fallback : amount(column);
}

Real TextTable::positive(Index column) const {
    if (const Real value = amount(column); value > 0) return value;
    throw DataError(locate(column), std::string("the ") + columns_[column].name + " is 0",
                    "a number above 0");
}

Real TextTable::number(Index column) const {
    return read_number(text(column), [&] { return locate(column); });
}

NodeIndex TextTable::node(Index column, const Network& network) const {
    return read_node(network, text(column), [&] { return locate(column); });
}

DataLocation TextTable::locate(Index column) const {
    return lines_.here(columns_[column].name, places_[column].value_or(0) + 1);
}

}  // namespace proxstream
