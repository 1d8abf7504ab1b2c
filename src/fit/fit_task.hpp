/// Builds what fit settings describe: the data in memory and the problem. `fit` gives it to one method,
/// `compare-fit` to several.
#pragma once

#include "fit/data_survey.hpp"
#include "fit/fit_settings.hpp"
#include "offline/row_sum.hpp"
#include "run/model_file.hpp"
#include "run/row_reader.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class FitTask {
  public:
    /// Reads all data and finds the constants; throws ConfigError, DataError or IoError.
    explicit FitTask(const FitSettings& settings, StopFlag stop = nullptr);

    const OfflineProblem& problem() const noexcept { return *problem_; }
    /// The rows; nullptr: an expectation.
    const RowSum* rows() const noexcept { return rows_.get(); }
    const RowReader* reader() const noexcept { return reader_.get(); }
    const std::optional<DataSurvey>& survey() const noexcept { return survey_; }
    std::uint64_t bad_rows() const noexcept { return bad_rows_; }
    const std::string& last_bad_row() const noexcept { return last_bad_row_; }
    double reading_seconds() const noexcept { return reading_seconds_; }
    double constants_seconds() const noexcept { return constants_seconds_; }

    /// Of the data as used. A resumed run must find the same.
    std::uint64_t checksum() const noexcept { return checksum_; }
    /// The model at x, ready to be saved. Of an expectation: x alone, with its text as the loss.
    Model model_at(ConstView x, std::uint64_t iterations) const;
    /// The model's predictions at x for all rows, in the units of the data.
    std::vector<Real> predict(ConstView x) const;
    /// The same as the text of a file (run/prediction_file.hpp).
    std::string prediction_file(ConstView x) const;

  private:
    std::unique_ptr<RowReader> open_data(StopFlag stop) const;
    RowBlock read_rows(StopFlag stop);
    DataLocation location_of(Index row) const;
    void standardise(RowBlock& rows);
    void sum_over_rows(RowBlock rows);
    void expectation();

    FitSettings settings_;
    std::unique_ptr<RowReader> reader_;
    std::shared_ptr<const RowSum> rows_;
    std::optional<OfflineProblem> problem_;
    std::optional<DataSurvey> survey_;
    std::optional<Standardiser> standardiser_;
    std::optional<Standardiser> label_scale_;
    std::vector<Real> labels_;  // in the units of the data
    std::uint64_t bad_rows_ = 0;
    std::string last_bad_row_;
    std::uint64_t checksum_ = 0;
    double reading_seconds_ = 0;
    double constants_seconds_ = 0;
};

}  // namespace proxstream
