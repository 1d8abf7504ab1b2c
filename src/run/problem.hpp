/// Builds what the settings describe: the stream, the loss family, g over the penalised coordinates, the
/// start and the step. `learn` gives it to one learner, `compare` to several.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include "online/learner_table.hpp"
#include "regret/regret_meter.hpp"
#include "run/forecast_feed.hpp"
#include "run/learn_settings.hpp"
#include "run/model_file.hpp"
#include "run/noise_estimate.hpp"
#include "run/record_stream.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// The number of records that step and noise are estimated from; 0: nothing is estimated.
Index records_surveyed(const LearnSettings& settings);

class Problem {
  public:
    /// Opens the data and builds every part; throws ConfigError, DataError or IoError. `learners`: further
    /// learners to be made. If one of them needs the noise, it is estimated from the first records.
    explicit Problem(const LearnSettings& settings, StopFlag stop = nullptr,
                     const std::vector<std::string>& learners = {});

    /// The same on an open reader.
    Problem(const LearnSettings& settings, std::unique_ptr<RowReader> reader, StopFlag stop = nullptr,
            const std::vector<std::string>& learners = {});

    /// The same problem with another start.
    Problem from(ConstView start) &&;

    RecordStream& stream() noexcept { return *stream_; }
    const RecordStream& stream() const noexcept { return *stream_; }
    /// The source of forecasts; nullptr: none.
    ForecastFeed* forecasts() noexcept { return forecasts_.get(); }
    const PassFamily& family() const noexcept { return *family_; }
    const AnyRegulariser& g() const noexcept { return g_; }
    ConstView start() const noexcept { return start_; }  // x_1
    Real step() const noexcept { return step_; }         // eta
    const std::string& step_origin() const noexcept { return step_origin_; }
    /// The proximal term of a learner's windows, from settings and data.
    const ProximalRule& proximal() const noexcept { return proximal_; }

    /// The largest root mean square of a column over the smallest, in the first records; 1 if none were read,
    /// or rows are sparse. Columns of zeros do not count.
    Real column_spread() const noexcept { return column_spread_; }
    /// Whether features are standardised.
    bool scaled() const noexcept { return settings_.standardise; }
    /// Whether the first records have exactly two labels although the loss is one of numbers.
    bool two_labels() const noexcept { return two_labels_; }

    std::unique_ptr<AnyLearner> make_learner(const std::string& text) const;
    /// With another seed than the settings', on the same rows.
    std::unique_ptr<AnyLearner> make_learner(const std::string& text, std::uint64_t seed) const;
    RegretMeter<AnyRegulariser, AnyBatch> make_meter(const std::vector<Index>& windows) const;
    /// The model at x, to be saved.
    Model model_at(ConstView x, Round rounds) const;

  private:
    void choose_step();
    void choose_proximal(const std::vector<RowBlock>& surveyed);
    void look_at(const std::vector<RowBlock>& surveyed);
    void estimate_noise_for(const std::vector<std::string>& learners);

    LearnSettings settings_;
    std::unique_ptr<RecordStream> stream_;
    std::unique_ptr<ForecastFeed> forecasts_;
    std::shared_ptr<const PassFamily> family_;
    AnyRegulariser g_;
    std::vector<Real> start_;
    std::optional<NoiseEstimate> noise_estimate_;
    std::vector<Real> first_gradient_;  // of the mean of the records it was made from, at the start
    Real smoothness_ = 0;               // claimed L
    Real step_ = 0;
    std::string step_origin_;  // where the step comes from, in words
    ProximalRule proximal_;
    Real column_spread_ = 1;
    bool two_labels_ = false;
};

}  // namespace proxstream
