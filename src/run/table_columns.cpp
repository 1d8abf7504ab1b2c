#include "run/table_columns.hpp"

#include "proxstream/core/spec.hpp"

#include "io/parse_number.hpp"

#include <algorithm>
#include <unordered_map>

namespace proxstream {
namespace {

constexpr Index kColumnsListed = 40;

std::string several(const std::string& name, const std::vector<Index>& places) {
    std::string numbers;
    for (Index i = 0; i < std::min(places.size(), kColumnsListed); ++i)
        numbers += (i == 0                   ? "number "
                    : i + 1 == places.size() ? " and "
                                             : ", ") +
                   std::to_string(places[i] + 1);
    return std::to_string(places.size()) + " columns are called '" + name + "' (" + numbers + ")";
}

class Assignment {
  public:
    Assignment(const std::vector<std::string>& columns, std::vector<std::string>& violations)
        : columns_(columns), violations_(violations), roles_(columns.size(), kUnassigned) {
        for (Index i = 0; i < columns.size(); ++i) places_[columns[i]].push_back(i);
    }

    /// Leaves out all columns of that name.
    void ignore(const std::string& name) {
        const auto found = places_.find(name);
        if (found == places_.end() || found->second.size() == 1)
            return assign("--ignore", name, kSkippedColumn);
        for (const Index place : found->second) roles_[place] = kSkippedColumn;
    }

    /// Notes a violation for columns that would be features of one name.
    void require_single_names() {
        for (Index i = 0; i < columns_.size(); ++i) {
            const auto& places = places_[columns_[i]];
            if (places.size() > 1 && places[0] == i && roles_[i] == kUnassigned)
                violations_.push_back(several(columns_[i], places) +
                                      "; rename one, or leave them out with --ignore " + columns_[i]);
        }
    }

    /// Gives the column of that name a role, or notes a violation if it cannot have it.
    void assign(const std::string& option, const std::string& name, std::int32_t role) {
        const auto found = places_.find(name);
        if (found == places_.end()) {
            const std::string near = nearest_name(name, columns_);
            violations_.push_back(option + ": no column is called '" + name + "'" +
                                  (near.empty() ? "" : "; did you mean '" + near + "'?"));
            unknown_ = true;
        } else if (found->second.size() > 1) {
            violations_.push_back(option + ": " + several(name, found->second) + "; rename one");
        } else if (std::int32_t& slot = roles_[found->second[0]]; slot != kUnassigned) {
            violations_.push_back(option + ": column '" + name + "' is already " + describe(slot));
        } else {
            slot = role;
        }
    }

    /// Makes the last column without a role the label. Returns false if there is none.
    bool label_last() {
        const auto last = std::find(roles_.rbegin(), roles_.rend(), kUnassigned);
        if (last == roles_.rend()) return false;
        *last = kLabelColumn;
        return true;
    }

    /// Reads a column for its past, unless it is read already.
    void lag(const std::string& name) {
        const auto found = places_.find(name);
        const bool once = found != places_.end() && found->second.size() == 1;
        const std::int32_t role = once ? roles_[found->second[0]] : kUnassigned;
        if (role == kUnassigned || role == kSkippedColumn) assign("--lag-columns", name, kPast);
    }

    /// Notes a violation if no column has this name.
    void require(const std::string& option, const std::string& name) {
        if (!places_.contains(name)) assign(option, name, kUnassigned);
    }

    bool unknown() const noexcept { return unknown_; }
    std::vector<std::int32_t>& roles() noexcept { return roles_; }

    static constexpr std::int32_t kUnassigned = -3;
    static constexpr std::int32_t kPast = -4;

  private:
    static const char* describe(std::int32_t role) {
        if (role == kLabelColumn) return "the label";
        if (role == kWeightColumn) return "the weight";
        if (role == kKeyColumn) return "the key";
        return role == kSkippedColumn ? "ignored" : "a feature";
    }

    const std::vector<std::string>& columns_;
    std::vector<std::string>& violations_;
    std::unordered_map<std::string, std::vector<Index>> places_;
    std::vector<std::int32_t> roles_;
    bool unknown_ = false;
};

/// Numbers the features: those of --features as given, or else all other columns in order. Columns whose past
/// values alone are features come last.
ColumnRoles number_features(std::vector<std::int32_t> roles, const std::vector<std::string>& columns,
                            const std::vector<std::string>& given) {
    ColumnRoles result{std::move(roles), given, ""};
    const auto add = [&](Index i) {
        result.roles[i] = static_cast<std::int32_t>(result.feature_names.size());
        result.feature_names.push_back(columns[i]);
    };
    for (Index i = 0; i < columns.size(); ++i) {
        if (result.roles[i] != Assignment::kUnassigned) continue;
        result.roles[i] = kSkippedColumn;
        if (given.empty()) add(i);
    }
    for (Index i = 0; i < columns.size(); ++i) {
        if (result.roles[i] == kLabelColumn) result.label_name = columns[i];
        if (result.roles[i] == Assignment::kPast) add(i);
    }
    return result;
}

bool all_numbers(const std::vector<std::string>& names) {
    Real ignored = 0;
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return parse_whole_number(name, ignored); });
}

}  // namespace

std::string list_columns(const std::vector<std::string>& columns) {
    std::string list;
    for (Index i = 0; i < std::min(columns.size(), kColumnsListed); ++i) {
        list += (i == 0 ? "" : ", ") + columns[i];
    }
    if (columns.size() > kColumnsListed) {
        list += ", ... (" + std::to_string(columns.size() - kColumnsListed) + " more)";
    }
    return list;
}

ColumnRoles find_columns(const std::string& source, const std::vector<std::string>& columns,
                         const TableOptions& options) {
    std::vector<std::string> violations;
    ColumnRoles result{std::vector<std::int32_t>(columns.size(), kSkippedColumn), {}, options.label};
    std::unordered_map<std::string_view, std::vector<Index>> places_of;
    for (Index i = 0; i < columns.size(); ++i) places_of[columns[i]].push_back(i);
    /// Notes a violation if no column, which `missing` says, or several have this name.
    const auto give = [&](const std::string& name, std::int32_t role, const std::string& missing) {
        if (name.empty()) return;
        const std::vector<Index>& places = places_of[name];
        if (places.size() > 1) violations.push_back(several(name, places) + "; rename one");
        if (places.size() == 1) result.roles[places[0]] = role;
        if (!places.empty() || missing.empty()) return;
        const std::string near = nearest_name(name, columns);
        violations.push_back(missing + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    };
    const auto absent = [](const char* option, const std::string& name) {
        return std::string(option) + ": no column is called '" + name + "'";
    };
    give(options.label, kLabelColumn, options.predicts ? "" : absent("--label", options.label));
    give(options.weight, kWeightColumn, options.predicts ? "" : absent("--weight", options.weight));
    give(options.key, kKeyColumn, absent("--key", options.key));
    for (const TableColumn& column : options.model->columns) {
        give(column.name, static_cast<std::int32_t>(result.feature_names.size()),
             "the model needs a column '" + column.name + "', which " + source + " does not have");
        result.feature_names.push_back(column.name);
    }
    for (Index i = 0; i < columns.size(); ++i) {
        const auto& ignore = options.ignore;
        if (result.roles[i] == kSkippedColumn &&
            std::find(ignore.begin(), ignore.end(), columns[i]) == ignore.end())
            result.unused.push_back(columns[i]);
    }
    if (violations.empty()) return result;
    violations.push_back("the columns of " + source + " are: " + list_columns(columns));
    if (columns.size() == 1) violations.emplace_back("is the delimiter right? --delimiter sets it");
    throw ConfigError(std::move(violations));
}

ColumnRoles assign_columns(const std::string& source, const std::vector<std::string>& columns,
                           const TableOptions& options, const TargetRule& target) {
    std::vector<std::string> violations = target.violations();
    Assignment assignment(columns, violations);
    const bool labelled = target.kind != TargetKind::none;
    // A loss without a target only excludes the label from the features; the column may be absent.
    const bool absent = std::find(columns.begin(), columns.end(), options.label) == columns.end();
    if (!options.label.empty() && (labelled || !absent)) {
        assignment.assign("--label", options.label, labelled ? kLabelColumn : kSkippedColumn);
    }
    for (const std::string& name : options.ignore) assignment.ignore(name);
    if (!options.weight.empty()) assignment.assign("--weight", options.weight, kWeightColumn);
    if (!options.key.empty()) assignment.assign("--key", options.key, kKeyColumn);
    for (const std::string& name : options.text) assignment.require("--text", name);
    for (const std::string& name : options.time) assignment.require("--time", name);
    for (Index i = 0; i < options.features.size(); ++i) {
        assignment.assign("--features", options.features[i], static_cast<std::int32_t>(i));
    }
    if (labelled && options.label.empty() && !assignment.label_last()) {
        violations.emplace_back("--label: no column is left to be predicted");
    }

    for (const std::string& name : options.lagged) assignment.lag(name);
    if (options.features.empty()) assignment.require_single_names();

    ColumnRoles result = number_features(std::move(assignment.roles()), columns, options.features);
    if (result.feature_names.empty() && options.needs_features) {
        violations.emplace_back(
            "no column is left as a feature; is the delimiter right? --delimiter sets it");
    }
    if (violations.empty()) return result;
    violations.push_back("the columns of " + source + " are: " + list_columns(columns));
    if (assignment.unknown() && options.header && all_numbers(columns)) {
        violations.emplace_back("its first line holds numbers only: if it is data, say --no-header");
    }
    throw ConfigError(std::move(violations));
}

}  // namespace proxstream
