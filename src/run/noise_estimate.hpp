/// What the first records of a stream say about the figures an advisor needs: how much single rows differ
/// from their record, how curved and how high losses are. Estimates, and each says which kind it is.
#pragma once

#include "proxstream/loss/row_family.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace proxstream {

struct NoiseEstimateOptions {
    Real confidence = 0.95;  // of the upper limits
    Real smoothness = 0;     // L, where it is claimed; 0: found from the records
    std::uint64_t seed =
        1;  // of the draws: directions where curvature is measured, rows of very large records
};

/// Figures at the points a learner would pass: the start and a short walk of prox-gradient steps on the mean
/// of the first eight records. Of each figure the worst of these points is given.
struct NoiseEstimate {
    Index records = 0;  // whose losses were finite
    Index fewest_rows = 0;
    Index most_rows = 0;
    Index points = 0;

    /// sigma_0, root mean square over records and their rows of |gradient of a row - gradient of its record|:
    /// exact for these records and points, 0 if all of them have one row.
    Real base_noise = 0;
    /// Upper limit for records to come, if they are like these: mean of the records' variances plus a Student
    /// quantile of its standard error (approximate, by the central limit theorem).
    Real base_noise_limit = 0;

    Real smoothness = 0;  // L
    /// proved: the largest of the records' own bounds, true everywhere but for these records; claimed: given;
    /// measured: twice the steepest change of gradient met, which proves nothing.
    enum class Source : std::uint8_t { proved, claimed, measured } smoothness_source = Source::proved;
    Real mean_squared_smoothness = 0;  // of single rows; 0: not known

    Real oscillation = 0;        // mean over records of the range of their loss over the points
    Real oscillation_limit = 0;  // upper limit, as above
    Real variation = 0;          // root mean square of |grad f_i - grad f_j| over pairs of records
    Real gap = 0;                // of that mean, at the start and step 1/L: a looser test learns nothing

    /// Rows are drawn from records: with one row each there is nothing to draw, and gradients are exact.
    bool exact() const { return most_rows <= 1; }
    std::string base_noise_origin(Real confidence) const;
    std::string smoothness_origin() const;
    std::string oscillation_origin(Real confidence) const;
    std::string variation_origin() const;
};

/// Throws ConfigError with fewer than two records whose loss and gradient are finite at the start.
NoiseEstimate estimate_noise(std::span<const RowBlock> records, const RowFamily& family,
                             const AnyRegulariser& g, ConstView start, const NoiseEstimateOptions& options);

/// Mean plus the Student quantile times the standard error: with the given confidence the true mean is below,
/// as far as the central limit theorem has set in. Two values or more.
Real upper_limit(std::span<const Real> values, Real confidence);

}  // namespace proxstream
