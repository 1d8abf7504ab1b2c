#include "traffic/tntp_columns.hpp"

#include "traffic/field_text.hpp"

#include <algorithm>

namespace proxstream {
namespace {

struct FieldNames {
    const char* usual;
    std::vector<std::string> known;  // in bare form
};

const std::array<FieldNames, kTntpFields>& field_names() {
    static const std::array<FieldNames, kTntpFields> kNames{{
        {"init_node", {"initnode", "init", "tail", "tailnode", "from", "fromnode", "anode", "source"}},
        {"term_node", {"termnode", "term", "head", "headnode", "to", "tonode", "bnode", "target"}},
        {"capacity", {"capacity", "cap"}},
        {"length", {"length", "distance"}},
        {"free_flow_time", {"freeflowtime", "fftt", "fft", "freeflowtraveltime", "freetime"}},
        {"b", {"b"}},
        {"power", {"power"}},
        {"speed", {"speed", "speedlimit"}},
        {"toll", {"toll"}},
        {"link_type", {"linktype", "type"}},
    }};
    return kNames;
}

}  // namespace

TntpColumns::TntpColumns() : places_{} {
    for (Index i = 0; i < kTntpFields; ++i) {
        names_.emplace_back(field_names()[i].usual);
        places_[i] = i;
    }
}

std::optional<TntpColumns> TntpColumns::from_comment(std::string_view comment) {
    comment = without_blanks(comment.substr(0, comment.find(';')));
    std::vector<std::string_view> names;
    if (comment.find('\t') != std::string_view::npos) {
        split_at(comment, '\t', names);
        std::erase_if(names, [](std::string_view name) { return name.empty(); });
    } else {
        split_at_blanks(comment, names);
    }
    TntpColumns columns;
    columns.names_.assign(names.begin(), names.end());
    columns.places_.fill(kAbsent);
    for (Index column = 0; column < names.size(); ++column) {
        const std::string bare = bare_name(names[column]);
        for (Index field = 0; field < kTntpFields; ++field) {
            const auto& known = field_names()[field].known;
            if (std::find(known.begin(), known.end(), bare) == known.end()) continue;
            if (columns.places_[field] != kAbsent) return std::nullopt;
            columns.places_[field] = column;
        }
    }
    using enum TntpField;
    for (const TntpField needed : {from, to, capacity, free_time, b, power}) {
        if (!columns.has(needed)) return std::nullopt;
    }
    return columns;
}

std::vector<std::string> TntpColumns::strangers() const {
    std::vector<std::string> strangers;
    for (Index column = 0; column < columns(); ++column) {
        if (std::find(places_.begin(), places_.end(), column) != places_.end()) continue;
        strangers.push_back("column " + std::to_string(column + 1) + " (" + names_[column] + ")");
    }
    return strangers;
}

void TntpColumns::split(std::string_view row, std::vector<std::string_view>& fields) const {
    if (row.find('\t') == std::string_view::npos) {
        split_at_blanks(row, fields);
        return;
    }
    // A leading tab opens the row; tabs at its end close it.
    row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
    if (row.starts_with('\t')) row.remove_prefix(1);
    split_at(row, '\t', fields);
    while (fields.size() != columns() && !fields.empty() && fields.back().empty()) fields.pop_back();
    const bool mixed = std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
        return field.find(' ') != std::string_view::npos;
    });
    if (mixed) {
        split_at_blanks(row, fields);
    } else if (fields.size() > columns()) {
        std::erase_if(fields, [](std::string_view field) { return field.empty(); });  // tabs that align
    }
}

}  // namespace proxstream
