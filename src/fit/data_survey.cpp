#include "fit/data_survey.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <map>

namespace proxstream {
namespace {

/// The stored values of a column.
struct Column {
    Index stored = 0;
    Real least = kInfinity;
    Real largest = -kInfinity;

    void add(Real value) {
        ++stored;
        least = std::min(least, value);
        largest = std::max(largest, value);
    }
};

void survey_features(const RowBlock& rows, std::span<Column> columns, DataSurvey& survey) {
    for (Index row = 0; row < rows.rows(); ++row) {
        const ConstView values = rows.values(row);
        Index nonzeros = 0;
        for (Index k = 0; k < values.size(); ++k) {
            columns[rows.sparse() ? rows.indices(row)[k] : k].add(values[k]);
            if (values[k] != 0) ++nonzeros;
        }
        survey.nonzeros += nonzeros;
        if (nonzeros > 0) continue;
        if (survey.zero_rows++ == 0) survey.first_zero_row = row + 1;
    }
}

void survey_columns(std::span<Column> columns, std::span<const std::string> names, DataSurvey& survey) {
    for (Index i = 0; i < columns.size(); ++i) {
        Column& column = columns[i];
        // Values that are not stored are 0.
        if (column.stored < survey.rows) column.add(0);
        if (column.least != column.largest) continue;
        const bool empty = column.least == 0;
        ++(empty ? survey.empty_columns : survey.constant_columns);
        if (survey.columns.size() == DataSurvey::kMostNamed || (empty && survey.sparse)) continue;
        survey.columns.push_back(i < names.size() ? names[i] : std::to_string(i + 1));
    }
}

void survey_labels(ConstView labels, DataSurvey& survey) {
    std::map<Real, Index> counts;
    survey.least_label = kInfinity;
    survey.largest_label = -kInfinity;
    for (const Real label : labels) {
        survey.least_label = std::min(survey.least_label, label);
        survey.largest_label = std::max(survey.largest_label, label);
        survey.mean_label += label / static_cast<Real>(labels.size());
        if (counts.size() <= DataSurvey::kMostNamed) ++counts[label];
    }
    if (counts.size() <= DataSurvey::kMostNamed) survey.labels.assign(counts.begin(), counts.end());
}

/// "1 row", "2 rows"
std::string counted(Index count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string rounded(Real value) {
    constexpr int kDigits = 4;
    char text[32];
    std::snprintf(text, sizeof(text), "%.*g", kDigits, value);
    return text;
}

std::string label_line(const DataSurvey& survey) {
    if (survey.labels.empty()) {
        return "labels from " + rounded(survey.least_label) + " to " + rounded(survey.largest_label) +
               ", mean " + rounded(survey.mean_label);
    }
    std::string line;
    for (const auto& [label, count] : survey.labels) {
        line += (line.empty() ? "labels: " : ", ") + std::to_string(count) + " of " + format_short(label);
    }
    return line;
}

}  // namespace

std::vector<std::string> DataSurvey::lines() const {
    std::vector<std::string> lines;
    lines.push_back(counted(rows, "row") + " of " + counted(features, "feature") + ", " +
                    counted(nonzeros, "value") + " not 0 (" + rounded(100 * density()) + "%)" +
                    (sparse ? ", sparse" : ""));
    lines.push_back(label_line(*this));
    if (zero_rows > 0) {
        lines.push_back(counted(zero_rows, "row") + " of zeros, the first is row " +
                        std::to_string(first_zero_row) + ": of no use to the weights");
    }
    std::string named;
    for (const std::string& column : columns) named += (named.empty() ? ": " : ", ") + column;
    if (columns.size() < constant_columns + (sparse ? 0 : empty_columns)) named += ", ...";
    if (empty_columns > 0 && sparse) {
        lines.push_back(counted(empty_columns, "column") + " without a value in any row");
    }
    if (empty_columns > 0 && !sparse) {
        lines.push_back(counted(empty_columns + constant_columns, "constant column") + " (" +
                        std::to_string(empty_columns) + " of zeros)" + named);
    } else if (constant_columns > 0) {
        lines.push_back(counted(constant_columns, "constant column") + named);
    }
    return lines;
}

DataSurvey survey_data(const RowBlock& rows, Index features, std::span<const std::string> names) {
    assert(rows.rows() > 0);
    DataSurvey survey;
    survey.sparse = rows.sparse();
    survey.rows = rows.rows();
    survey.features = features;
    std::vector<Column> columns(features);
    survey_features(rows, columns, survey);
    survey_columns(columns, names, survey);
    survey_labels(rows.targets(), survey);
    return survey;
}

}  // namespace proxstream
