#include "run/table_reader.hpp"

#include "proxstream/core/error.hpp"

#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/table_columns.hpp"
#include "run/table_survey.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

TableReader::TableReader(TableOptions options, TargetRule target)
    : options_(std::move(options)), target_parser_(std::move(target)) {
    const TargetRule& rule = target_parser_.rule();
    if (rule.kind == TargetKind::none) no_label_ = 0;
    number_label_ = rule.kind == TargetKind::number && rule.classes.empty();
}

void TableReader::set_columns(const std::vector<std::string>& columns,
                              const std::vector<Fields>& first_rows) {
    const bool given = options_.model.has_value();
    ColumnRoles assigned = given ? find_columns(source(), columns, options_)
                                 : assign_columns(source(), columns, options_, target_parser_.rule());
    columns_ = columns;
    roles_ = std::move(assigned.roles);
    label_name_ = std::move(assigned.label_name);
    if (given) {
        encoder_ = TableEncoder(*options_.model, !options_.predicts);
        if (!assigned.unused.empty()) notes_.push_back("columns not used: " + list_columns(assigned.unused));
    } else {
        survey_features(assigned.feature_names, first_rows);
    }
    for (const std::int32_t role : roles_) {
        const bool number = role >= 0 && encoder_.kind(static_cast<Index>(role)) == ColumnKind::number;
        places_.push_back(number ? static_cast<std::int32_t>(encoder_.place(static_cast<Index>(role))) : -1);
    }
}

void TableReader::survey_features(const std::vector<std::string>& names,
                                  const std::vector<Fields>& first_rows) {
    std::vector<Fields> rows(first_rows.size(), Fields(names.size()));
    for (Index row = 0; row < rows.size(); ++row) {
        for (Index i = 0; i < roles_.size(); ++i) {
            if (roles_[i] >= 0) rows[row][static_cast<Index>(roles_[i])] = first_rows[row][i];
        }
    }
    TableSurvey survey = survey_table(names, rows, options_);
    notes_ = std::move(survey.notes);
    std::vector<std::int32_t> kept(names.size(), kSkippedColumn);
    std::int32_t next = 0;
    for (Index i = 0; i < names.size(); ++i) {
        if (!survey.left_out[i]) kept[i] = next++;
    }
    for (std::int32_t& role : roles_) role = role >= 0 ? kept[static_cast<Index>(role)] : role;
    if (next == 0 && options_.needs_features) refuse_no_features();
    encoder_ = TableEncoder(std::move(survey.state), true);
}

void TableReader::refuse_no_features() const {
    std::vector<std::string> violations{"no column of " + source() + " is left as a feature"};
    violations.insert(violations.end(), notes_.begin(), notes_.end());
    if (target_parser_.rule().kind == TargetKind::number)
        violations.push_back("--lags 1..8 makes features of the earlier values of '" + label_name_ + "'");
    throw ConfigError(std::move(violations));
}

bool TableReader::take_field(Index column, std::string_view text) {
    const std::int32_t role = roles_[column];
    if (role >= 0) return encoder_.put(static_cast<Index>(role), text);
    if (role == kLabelColumn) return target_parser_.parse(text, target_);
    if (role == kWeightColumn) return parse_whole_number(text, weight_) && weight_ >= 0;
    if (role == kKeyColumn) key_ = without_blanks(text);
    return true;
}

void TableReader::take_fields(const Fields& fields) {
    encoder_.begin();
    target_ = no_label_;
    for (Index column = 0; column < fields.size(); ++column) {
        const std::string_view text = fields[column];
        if (take_field(column, text)) continue;
        const std::int32_t role = roles_[column];
        if (role == kLabelColumn) {
            if (!options_.unlabelled || !is_missing(text)) refuse_label(column, text);
            target_ = no_label_;
        } else if (role >= 0 && options_.missing && is_missing(text)) {
            encoder_.put_missing(static_cast<Index>(role));
        } else {
            refuse_field(column, text);
        }
    }
}

void TableReader::finish_row(RowBlock& block) {
    encoder_.add_to(block, target_);
    const Real weight = weight_ * class_weight();
    if (weight != 1) block.set_weight(block.rows() - 1, weight);
    // A row without a label counts only if it may be learned from later.
    if (!std::isnan(target_) || !options_.key.empty()) encoder_.accept();
}

std::vector<std::string> TableReader::remarks() const {
    std::vector<std::string> remarks;
    if (encoder_.missing() > 0)
        remarks.push_back("missing numbers replaced by the mean of their column: " +
                          std::to_string(encoder_.missing()));
    if (encoder_.missing_times() > 0)
        remarks.push_back("missing times, whose features are 0: " + std::to_string(encoder_.missing_times()));
    if (encoder_.others() > 0)
        remarks.push_back("texts without a feature of their own: " + std::to_string(encoder_.others()) +
                          (options_.model ? "" : "; --categories or --hash gives them more features"));
    return remarks;
}

Real TableReader::class_weight() const {
    if (options_.class_weights.empty() || std::isnan(target_)) return 1;
    const bool sign = target_parser_.rule().kind == TargetKind::sign;
    return options_.class_weights[sign ? (target_ > 0 ? 1 : 0) : static_cast<Index>(target_)];
}

void TableReader::refuse_label(Index column, std::string_view text) const {
    const bool empty = without_blanks(text).empty();
    if (target_parser_.rule().kind != TargetKind::number) {
        throw DataError(locate(column),
                        empty ? "the label is empty" : "unknown label " + quoted_excerpt(text),
                        target_parser_.allowed());
    }
    throw DataError(locate(column), describe_bad_number(text),
                    target_parser_.allowed() +
                        (has_decimal_comma(text) ? " with a decimal point instead of a comma"
                         : empty || options_.predicts
                             ? ""
                             : "; for classes name them with --classes A,B and say --loss logistic"));
}

void TableReader::refuse_field(Index column, std::string_view text) const {
    const std::int32_t role = roles_[column];
    if (role == kWeightColumn)
        throw DataError(locate(column), quoted_excerpt(text) + " is not a weight",
                        "a finite number of at least 0");
    if (encoder_.kind(static_cast<Index>(role)) == ColumnKind::time)
        throw DataError(
            locate(column),
            is_missing(text) ? "the time is missing" : quoted_excerpt(text) + " is not a time",
            "a time such as 2024-01-31 or 2024-01-31 13:45; --on-bad-row skip leaves out such rows");
    throw DataError(locate(column), describe_bad_number(text), expected_number(column, text));
}

std::string TableReader::expected_number(Index column, std::string_view text) const {
    std::string expected = "a finite number";
    if (is_missing(text)) return expected + "; --missing mean puts the column's mean in its place";
    if (has_decimal_comma(text)) return expected + " with a decimal point instead of a comma";
    if (text.find_first_not_of(" \t+-.0123456789eE") == std::string_view::npos) return expected;
    if (options_.model)
        return expected + " as in the rows of the model; --on-bad-row skip leaves out such rows";
    return expected + "; if the column holds text say --text " + columns_[column] +
           ", or leave out such rows with --on-bad-row skip";
}

}  // namespace proxstream
