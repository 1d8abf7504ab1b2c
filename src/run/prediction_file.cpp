#include "run/prediction_file.hpp"

#include "io/row_splitter.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace proxstream {
namespace {

/// The shortest text that reads back as the same number.
void append_number(std::string& to, Real value) {
    std::array<char, 32> buffer;
    if (std::isfinite(value))
        to.append(buffer.data(), std::to_chars(buffer.begin(), buffer.end(), value).ptr);
}

}  // namespace

std::string PredictionFormat::header() const {
    std::string line = id;
    if (labels && kind != TargetKind::none) line += ",label";
    line += kind == TargetKind::none ? ",score" : ",prediction";
    const auto column = [&](const std::string& name) {
        line += ',';
        append_csv_field(line, "p(" + name + ")");
    };
    if (kind == TargetKind::sign && !probabilities) line += ",score";
    if (kind == TargetKind::sign && probabilities) column(classes.empty() ? "1" : classes[1]);
    if (kind == TargetKind::category && probabilities) {
        for (Index k = 0; k < class_count; ++k) column(classes.empty() ? std::to_string(k) : classes[k]);
    }
    return line + '\n';
}

/// A label as in the data.
void PredictionFormat::append_label(std::string& to, Real label) const {
    if (kind == TargetKind::sign && !std::isnan(label)) {
        if (!classes.empty()) return append_csv_field(to, classes[label < 0 ? 0 : 1]);
        return append_number(to, label < 0 ? negative : 1);
    }
    const bool named =
        kind == TargetKind::category && label >= 0 && label < static_cast<Real>(classes.size());
    if (named) return append_csv_field(to, classes[static_cast<Index>(label)]);
    append_number(to, label);
}

void PredictionFormat::append(std::string& to, std::string_view row, const Prediction& prediction) const {
    append_csv_field(to, row);
    if (labels && kind != TargetKind::none) {
        to += ',';
        append_label(to, prediction.label);
    }
    to += ',';
    append_label(to, prediction.value);
    const auto column = [&](Real value) {
        to += ',';
        append_number(to, value);
    };
    if (kind == TargetKind::sign) column(probabilities ? prediction.probabilities[1] : prediction.value);
    if (kind == TargetKind::category && probabilities) {
        for (const Real each : prediction.probabilities) column(each);
    }
    to += '\n';
}

}  // namespace proxstream
