/// Predictions of a saved model: reads rows like the model's training rows, and learns nothing.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include "run/feature_scale.hpp"
#include "run/label_scale.hpp"
#include "run/model_file.hpp"
#include "run/row_settings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct PredictedRow {
    std::string key = {};    // of the row, if the rows have keys
    std::uint64_t line = 0;  // in the file; 0: a row of the horizon
    Real prediction = 0;     // in the units of the label; of two classes the score; else the class
    std::vector<Real> probabilities = {};  // of the classes; empty: the loss has none
    Real label = 0;                        // NaN: not known
};

class Predictor {
  public:
    /// Opens the rows that the settings name; open settings are taken from the model. Then forecasts
    /// `horizon` further rows; for this, the model's features must all be past labels. Throws ConfigError,
    /// DataError or IoError.
    Predictor(Model model, RowSettings settings, Index horizon, StopFlag stop = nullptr);

    /// Returns false at the end. Throws DataError at a row that cannot be used; the next call reads the row
    /// after it.
    bool next(PredictedRow& row);

    const RowReader& reader() const noexcept { return *reader_; }
    const RowFamily& family() const noexcept { return *family_; }
    const RowSettings& settings() const noexcept { return settings_; }
    const Model& model() const noexcept { return model_; }

  private:
    Model model_;
    RowSettings settings_;
    std::unique_ptr<RowReader> reader_;
    std::shared_ptr<const RowFamily> family_;
    std::optional<FeatureScale> scale_;
    std::optional<LabelScale> label_scale_;
    RowBlock row_;
    Scratch scratch_;
};

}  // namespace proxstream
