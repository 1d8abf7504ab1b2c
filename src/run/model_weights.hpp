/// The weights of a linear model in the units of the data. Standardisation of features and label is undone,
/// so that a score is the intercept plus the sum of weights times values.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include "run/model_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct FeatureWeight {
    std::string name;  // column=value of the mark of a text
    Real weight = 0;
    std::optional<Real> deviation = {};  // of the feature, where the model knows it

    /// How far a usual change of the feature moves the score. Features without a deviation are marks of texts
    /// and times, or raw numbers: they count with a change by 1.
    Real influence() const;
};

struct LinearScore {
    std::vector<FeatureWeight> features;
    std::optional<Real> intercept = {};
};

/// One score, or that of each class. Empty: the loss is not one of linear scores.
std::vector<LinearScore> scores_in_data_units(const Model& model, const RowFamily& family);

}  // namespace proxstream
