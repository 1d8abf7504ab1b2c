/// Estimates from the first records of a stream what the advisor needs: the noise of single rows, the
/// curvature and the range of losses. Each figure says how it was found.
#pragma once

#include "proxstream/loss/row_family.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace proxstream {

struct NoiseEstimateOptions {
    Real confidence = 0.95;  // confidence of the upper limits
    Real smoothness = 0;     // claimed L; 0: found from the records
    std::uint64_t seed =
        1;  // of the draws: directions where curvature is measured, rows of very large records
};

/// Estimates at points that a learner would pass: the start, and a short walk of prox-gradient steps on the
/// mean of the first eight records. Each figure is the worst over these points.
struct NoiseEstimate {
    Index records = 0;  // records with finite losses
    Index fewest_rows = 0;
    Index most_rows = 0;
    Index points = 0;

    /// sigma_0, root mean square over records and their rows of |gradient of a row - gradient of its record|:
    /// exact for these records and points, 0 if all of them have one row.
    Real base_noise = 0;
    /// Upper limit for later records of the same distribution: mean of the records' variances plus a Student
    /// quantile of its standard error (approximate, by the central limit theorem).
    Real base_noise_limit = 0;

    Real smoothness = 0;  // L
    /// proved: the largest of the records' own bounds, valid everywhere for these records; claimed: given;
    /// measured: twice the steepest change of gradient found, not a bound.
    enum class Source : std::uint8_t { proved, claimed, measured } smoothness_source = Source::proved;
    Real mean_squared_smoothness = 0;  // of single rows; 0: unknown

    Real oscillation = 0;        // mean over records of the range of their loss over the points
    Real oscillation_limit = 0;  // its upper limit, as above
    Real variation = 0;          // root mean square of |grad f_i - grad f_j| over pairs of records
    /// Stationarity gap of the mean of the losses, at the start, for the step 1/L. With a looser tolerance
    /// nothing is learned.
    Real gap = 0;

    /// With one row per record, sampled gradients are exact.
    bool exact() const { return most_rows <= 1; }
    std::string base_noise_origin(Real confidence) const;
    std::string smoothness_origin() const;
    std::string oscillation_origin(Real confidence) const;
    std::string variation_origin() const;
};

/// Throws ConfigError for fewer than two records with finite loss and gradient at the start.
NoiseEstimate estimate_noise(std::span<const RowBlock> records, const RowFamily& family,
                             const AnyRegulariser& g, ConstView start, const NoiseEstimateOptions& options);

/// Mean plus the Student quantile times the standard error: an upper limit of the true mean with this
/// confidence, approximately (central limit theorem). Needs two values.
Real upper_limit(std::span<const Real> values, Real confidence);

}  // namespace proxstream
