#include "loss/row_kernels.hpp"

#include "proxstream/core/simd.hpp"

namespace proxstream::kernels {

PROXSTREAM_CLONES void dot_rows(const Real* const* rows, const Real* x, Index n, Real* scores) {
    const Real* a = rows[0];
    const Real* b = rows[1];
    const Real* c = rows[2];
    const Real* d = rows[3];
    Real lanes[kRows][kLanes] = {};
    const Index whole = n - n % kLanes;
    for (Index i = 0; i < whole; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) lanes[0][k] += a[i + k] * x[i + k];
        for (Index k = 0; k < kLanes; ++k) lanes[1][k] += b[i + k] * x[i + k];
        for (Index k = 0; k < kLanes; ++k) lanes[2][k] += c[i + k] * x[i + k];
        for (Index k = 0; k < kLanes; ++k) lanes[3][k] += d[i + k] * x[i + k];
    }
    for (Index row = 0; row < kRows; ++row) {
        for (Index i = whole; i < n; ++i) lanes[row][i - whole] += rows[row][i] * x[i];
        scores[row] = add_lanes(lanes[row]);
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
