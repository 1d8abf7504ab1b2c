#include "loss/score_smoothness.hpp"

#include "proxstream/core/linalg.hpp"

#include "loss/data_curvature.hpp"

#include <cmath>

namespace proxstream {

Real smoothness(const ScoredRows& scored) {
    return scored.curvature * largest_curvature(scored.rows, scored.intercept, scored.scales);
}

Real mean_square_smoothness(ScoredRows scored) {
    // |grad F(x) - grad F(y)|^2 of a row b is at most (kappa s)^2 |b|^2 (b.(x - y))^2, s its scale squared;
    // with several scores, the squares of their changes add up.
    for (Index row = 0; row < scored.scales.size(); ++row) {
        Real& scale = scored.scales[row];
        scale *= scale * std::sqrt(squared_norm(scored.rows.values(row)) + (scored.intercept ? 1 : 0));
    }
    return scored.curvature * std::sqrt(largest_curvature(scored.rows, scored.intercept, scored.scales));
}

std::optional<DataSmoothness> data_smoothness(ScoredRows scored) {
    for (Real& scale : scored.scales) scale *= scale;
    const DataCurvature data = data_curvature(scored.rows, scored.features, scored.intercept, scored.scales);
    if (!std::isfinite(data.mean) || !std::isfinite(data.mean_square)) return std::nullopt;
    return DataSmoothness{
        .mean = scored.curvature * data.mean,
        .mean_square = scored.curvature * std::sqrt(data.mean_square),
        .largest = scored.curvature * data.largest,
        .proved = true,
        .origin = std::string("max |phi''| times the largest eigenvalue of the rows' mean outer product, ") +
                  (data.exact ? "worked out"
                              : "bounded by Lanczos' iteration (too low with probability 1e-9, too high by a "
                                "ninth at most)")};
}

}  // namespace proxstream
