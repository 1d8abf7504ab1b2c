#include "run/table_survey.hpp"

#include "proxstream/core/error.hpp"

#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/table_encoder.hpp"
#include "run/timestamp.hpp"

#include <algorithm>
#include <set>

namespace proxstream {
namespace {

constexpr Index kLeastCategories = 4;
constexpr Index kMostCategories = 256;
/// With --categories. Every row has all of them.
constexpr Index kMostTextFeatures = 100'000;
/// A column with this many texts and no repetition is taken for an identifier.
constexpr Index kFewTexts = 16;

bool names_column(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The known values of one column.
struct Values {
    Index known = 0;
    Index missing = 0;
    Index numbers = 0;
    Index times = 0;
    Index commas = 0;
    std::set<std::string_view> texts = {};
    std::string_view example = {};  // the first value that is not a number

    Values(const std::vector<std::vector<std::string_view>>& rows, Index column) {
        for (const auto& row : rows) {
            if (is_missing(row[column])) {
                ++missing;
                continue;
            }
            ++known;
            Real ignored = 0;
            const bool number = parse_whole_number(row[column], ignored);
            numbers += number ? 1 : 0;
            times += parse_timestamp(row[column]) ? 1 : 0;
            commas += has_decimal_comma(row[column]) ? 1 : 0;
            texts.insert(without_blanks(row[column]));
            if (!number && example.empty()) example = row[column];
        }
    }
    bool holds_numbers() const { return 2 * numbers >= known; }
    bool holds_times() const { return known > 0 && times == known; }
    bool never_repeats() const { return known >= kFewTexts && texts.size() == known; }
};

class Survey {
  public:
    explicit Survey(const TableOptions& options) : options_(options) {}

    void add(const std::string& name, const Values& values) {
        const bool lagged = names_column(options_.lagged, name);
        const bool named = lagged || names_column(options_.features, name);
        if (names_column(options_.time, name)) return add_time(name, values);
        if (!names_column(options_.text, name)) {
            if (values.holds_numbers()) return add_number(name, values);
            if (2 * values.commas >= values.known) return refuse_commas(name, values);
            if (lagged) {
                violations_.push_back("--lag-columns: column '" + name + "' holds text such as " +
                                      quoted_excerpt(values.example) + "; only numbers have a past");
                return;
            }
            if (values.holds_times() && named) return add_time(name, values);
            if (values.holds_times())
                return leave_out("column '" + name + "' holds times and is left out; --time " + name +
                                 " makes features of hour, weekday and trend");
            if (values.never_repeats() && !named && options_.hash_bits == 0)
                return leave_out("column '" + name +
                                 "' never repeats a value in the first rows and is left out; "
                                 "--text " +
                                 name + " uses it all the same");
        }
        add_text(name, values);
    }

    TableSurvey finish() {
        if (options_.categories > 0 && slots_ > kMostTextFeatures)
            violations_.push_back("--categories " + std::to_string(options_.categories) +
                                  ": text would become " + std::to_string(slots_) + " features (" + texts_ +
                                  "); at most " + std::to_string(kMostTextFeatures) +
                                  " are possible; take a smaller number, or --hash BITS for many values");
        if (!violations_.empty()) throw ConfigError(violations_);
        if (!texts_.empty()) {
            result_.notes.push_back("text becomes features for its values: " + texts_ +
                                    "; the last of each column is for values without one");
        }
        if (!gaps_.empty()) {
            result_.notes.push_back("missing values become the mean, and NAME=missing marks them: " + gaps_);
        }
        return std::move(result_);
    }

  private:
    void keep(TableColumn column) {
        result_.state.columns.push_back(std::move(column));
        result_.left_out.push_back(false);
    }
    void leave_out(std::string note) {
        result_.left_out.push_back(true);
        result_.notes.push_back(std::move(note));
    }
    void add_number(const std::string& name, const Values& values) {
        TableColumn column{.name = name};
        column.marks_missing = options_.missing && values.missing > 0;
        if (column.marks_missing) gaps_ += (gaps_.empty() ? "" : ", ") + name;
        keep(std::move(column));
    }
    void add_time(const std::string& name, const Values& values) {
        if (values.known > 0 && !values.holds_times()) {
            violations_.push_back("--time: column '" + name + "' holds " +
                                  (values.example.empty() ? "numbers" : quoted_excerpt(values.example)) +
                                  "; expected times such as 2024-01-31 or 2024-01-31 13:45");
            return;
        }
        keep({.name = name, .kind = ColumnKind::time});
    }
    void add_text(const std::string& name, const Values& values) {
        const Index wanted = values.texts.size() + (values.missing > 0 ? 1 : 0);
        TableColumn column{.name = name, .kind = ColumnKind::text};
        column.slots = options_.categories > 0
                           ? options_.categories
                           : std::clamp<Index>(2 * wanted, kLeastCategories, kMostCategories);
        if (options_.hash_bits == 0)
            texts_ += (texts_.empty() ? "" : ", ") + name + " " + std::to_string(column.slots);
        if (options_.hash_bits == 0) slots_ += column.slots;
        keep(std::move(column));
    }
    void refuse_commas(const std::string& name, const Values& values) {
        violations_.push_back(
            "column '" + name + "' has numbers with a comma, such as " + quoted_excerpt(values.example) +
            "; write decimal points and no separators of thousands, or use the column as text "
            "with --text " +
            name);
    }

    const TableOptions& options_;
    TableSurvey result_;
    Index slots_ = 0;    // features of text
    std::string texts_;  // columns of text with their numbers of features
    std::string gaps_;   // columns of numbers with missing values
    std::vector<std::string> violations_;
};

}  // namespace

TableSurvey survey_table(const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::string_view>>& rows,
                         const TableOptions& options) {
    Survey survey(options);
    for (Index i = 0; i < columns.size(); ++i) survey.add(columns[i], Values(rows, i));
    TableSurvey result = survey.finish();
    result.state.hash_bits = options.hash_bits;
    return result;
}

}  // namespace proxstream
