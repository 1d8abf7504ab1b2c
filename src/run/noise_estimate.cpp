#include "run/noise_estimate.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "core/student.hpp"
#include "run/record_survey.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// The figures are measured after these numbers of trials.
constexpr std::array<Index, 4> kStops{0, 2, 8, 32};
/// The walk minimises the mean of this many records: few, so that drift is not averaged away.
constexpr Index kWalked = 8;
/// Factor on a measured curvature, which is always too low.
constexpr Real kCaution = 2;

Real mean_of(std::span<const Real> values) {
    return std::accumulate(values.begin(), values.end(), Real{0}) / static_cast<Real>(values.size());
}

/// The lowest and the highest loss of every record over the points.
class Ranges {
  public:
    explicit Ranges(Index records) : low_(records, kInfinity), high_(records, -kInfinity) {}

    void add(std::span<const Real> losses) {
        for (Index i = 0; i < losses.size(); ++i) {
            low_[i] = std::min(low_[i], losses[i]);
            high_[i] = std::max(high_[i], losses[i]);
        }
    }
    std::vector<Real> widths() const {
        std::vector<Real> widths(low_.size());
        subtract(high_, low_, widths);
        return widths;
    }

  private:
    std::vector<Real> low_;
    std::vector<Real> high_;
};

/// Prox-gradient steps on the mean of some records. The proved L may be far above the mean's. So steps grow
/// until one does not decrease the objective; that step is dropped, and the next is shorter.
class Walk {
  public:
    Walk(RecordSurvey& survey, const AnyRegulariser& g, ConstView start, Real step)
        : survey_(survey), g_(g), step_(step), x_(start.begin(), start.end()), trial_(start.size()) {
        survey_.evaluate(x_);
        settle(mean_of(survey_.losses()) + g_.value(x_, scratch_));
    }

    ConstView point() const { return x_; }
    Real gap() {
        std::vector<Real> gap(x_.size());
        return prox_gradient_step(g_, x_, gradient_, step_, {trial_, gap}, scratch_).norm;
    }

    void try_step() {
        step_along(x_, -step_, gradient_, trial_);
        const Real penalty = g_.prox(trial_, step_, trial_, scratch_);
        survey_.evaluate(trial_);
        const Real objective = mean_of(survey_.losses()) + penalty;
        if (objective < objective_ && all_finite(survey_.mean_gradient())) {
            std::swap(x_, trial_);
            settle(objective);
            step_ *= 2;
        } else {
            step_ /= 2;
        }
    }

  private:
    void settle(Real objective) {
        objective_ = objective;
        gradient_.assign(survey_.mean_gradient().begin(), survey_.mean_gradient().end());
    }

    RecordSurvey& survey_;
    const AnyRegulariser& g_;
    Real step_;
    std::vector<Real> x_;
    std::vector<Real> trial_;
    std::vector<Real> gradient_;
    Real objective_ = 0;
    Scratch scratch_;
};

void count_rows(std::span<const RowBlock* const> records, NoiseEstimate& estimate) {
    estimate.records = records.size();
    if (records.size() < 2) {
        throw ConfigError(fmt::format(
            "noise: {} records with a finite loss at the start are too few to estimate anything from; give "
            "smoothness, noise and swing",
            records.size()));
    }
    estimate.fewest_rows = records.front()->rows();
    for (const RowBlock* record : records) {
        estimate.fewest_rows = std::min(estimate.fewest_rows, record->rows());
        estimate.most_rows = std::max(estimate.most_rows, record->rows());
    }
}

void find_smoothness(RecordSurvey& survey, ConstView start, Real claimed, NoiseEstimate& estimate) {
    using Source = NoiseEstimate::Source;
    estimate.mean_squared_smoothness = survey.row_smoothness();
    estimate.smoothness = claimed > 0 ? claimed : survey.record_smoothness();
    estimate.smoothness_source = claimed > 0 ? Source::claimed : Source::proved;
    if (estimate.smoothness > 0) return;
    estimate.smoothness = kCaution * survey.curvature(start, 0);
    estimate.smoothness_source = Source::measured;
}

}  // namespace

Real upper_limit(std::span<const Real> values, Real confidence) {
    const auto count = static_cast<Real>(values.size());
    const Real mean = mean_of(values);
    Real squares = 0;
    for (const Real value : values) squares += (value - mean) * (value - mean);
    return mean + student_quantile(confidence, values.size() - 1) * std::sqrt(squares / (count - 1) / count);
}

NoiseEstimate estimate_noise(std::span<const RowBlock> records, const RowFamily& family,
                             const AnyRegulariser& g, ConstView start, const NoiseEstimateOptions& options) {
    std::vector<const RowBlock*> all;
    for (const RowBlock& record : records) all.push_back(&record);
    RecordSurvey survey(std::move(all), family, options.seed);
    survey.keep_finite(start);
    NoiseEstimate estimate;
    count_rows(survey.records(), estimate);
    find_smoothness(survey, start, options.smoothness, estimate);
    const bool measured = estimate.smoothness_source == NoiseEstimate::Source::measured;
    const auto walked = survey.records().first(std::min(kWalked, estimate.records));
    RecordSurvey window({walked.begin(), walked.end()}, family, options.seed);
    Walk walk(window, g, start, estimate.smoothness > 0 ? 1 / estimate.smoothness : 1);

    estimate.gap = walk.gap();
    // Limits at all points must hold at once.
    const Real confidence = 1 - (1 - options.confidence) / static_cast<Real>(kStops.size());
    estimate.points = kStops.size();
    Ranges ranges(estimate.records);
    Index tried = 0;
    for (const Index stop : kStops) {
        for (; tried < stop; ++tried) walk.try_step();
        estimate.variation = std::max(estimate.variation, std::sqrt(survey.evaluate(walk.point())));
        ranges.add(survey.losses());
        const auto variances = survey.variances(walk.point());
        estimate.base_noise = std::max(estimate.base_noise, std::sqrt(mean_of(variances)));
        estimate.base_noise_limit =
            std::max(estimate.base_noise_limit, std::sqrt(upper_limit(variances, confidence)));
        if (measured && stop > 0) {
            estimate.smoothness =
                std::max(estimate.smoothness, kCaution * survey.curvature(walk.point(), stop));
        }
    }
    const std::vector<Real> widths = ranges.widths();
    estimate.oscillation = mean_of(widths);
    estimate.oscillation_limit = upper_limit(widths, options.confidence);
    return estimate;
}

std::string NoiseEstimate::base_noise_origin(Real confidence) const {
    if (exact()) return "0: every record has one row, so a sampled gradient is exact";
    return fmt::format(
        "upper {:g} % limit over {} records of {} rows at {} points, approximate; measured {:.6g}",
        100 * confidence, records,
        fewest_rows == most_rows ? fmt::format("{}", most_rows)
                                 : fmt::format("{} to {}", fewest_rows, most_rows),
        points, base_noise);
}

std::string NoiseEstimate::smoothness_origin() const {
    switch (smoothness_source) {
        case Source::proved:
            return fmt::format("the largest bound of the first {} records", records);
        case Source::claimed:
            return "given";
        case Source::measured:
            break;
    }
    return fmt::format("{:g} times the steepest change of gradient met at {} points: not a bound", kCaution,
                       points);
}

std::string NoiseEstimate::oscillation_origin(Real confidence) const {
    return fmt::format(
        "upper {:g} % limit of the mean range of {} losses over {} points, approximate; measured {:.6g}",
        100 * confidence, records, points, oscillation);
}

std::string NoiseEstimate::variation_origin() const {
    return fmt::format("root mean square over pairs of {} records", records);
}

}  // namespace proxstream
