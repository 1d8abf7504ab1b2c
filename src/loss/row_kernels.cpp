#include "loss/row_kernels.hpp"

#include "proxstream/core/simd.hpp"

#include <cstring>

namespace proxstream::kernels {
namespace {

/// kLanes numbers as one value. Written as loops over arrays, the compiler interleaves the lanes of
/// neighbouring steps with shuffles that cost more than the sums.
using Lanes [[gnu::vector_size(kLanes * sizeof(Real))]] = Real;

[[gnu::always_inline]] inline void load(const Real* from, Lanes& to) {
    std::memcpy(&to, from, sizeof(to));
}

}  // namespace

PROXSTREAM_CLONES void dot_rows(const Real* const* rows, const Real* x, Index n, Real* scores) {
    Lanes sums[kRows] = {};
    const Index whole = n - n % kLanes;
    for (Index i = 0; i < whole; i += kLanes) {
        Lanes point;
        load(x + i, point);
        for (Index row = 0; row < kRows; ++row) {
            Lanes values;
            load(rows[row] + i, values);
            sums[row] += values * point;
        }
    }
    for (Index row = 0; row < kRows; ++row) {
        Real lanes[kLanes];
        std::memcpy(lanes, &sums[row], sizeof(lanes));
        for (Index i = whole; i < n; ++i) lanes[i - whole] += rows[row][i] * x[i];
        scores[row] = add_lanes(lanes);
    }
}

PROXSTREAM_CLONES void add_rows(const Real* slopes, const Real* const* rows, Index n,
                                Real* __restrict gradient) {
    const Real* a = rows[0];
    const Real* b = rows[1];
    const Real* c = rows[2];
    const Real* d = rows[3];
    const Real slope_a = slopes[0];
    const Real slope_b = slopes[1];
    const Real slope_c = slopes[2];
    const Real slope_d = slopes[3];
    for (Index i = 0; i < n; ++i) {
        gradient[i] = (((gradient[i] + slope_a * a[i]) + slope_b * b[i]) + slope_c * c[i]) + slope_d * d[i];
    }
}

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x) {
    // Two sums hide the latency of the adds; gathering wider does not pay for scattered reads.
    Real even = 0;
    Real odd = 0;
    Index k = 0;
    for (; k + 2 <= values.size(); k += 2) {
        even += values[k] * x[indices[k]];
        odd += values[k + 1] * x[indices[k + 1]];
    }
    if (k < values.size()) even += values[k] * x[indices[k]];
    return even + odd;
}

void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient) {
    for (Index k = 0; k < values.size(); ++k) gradient[indices[k]] += slope * values[k];
}

}  // namespace proxstream::kernels
