#include "loss/tile_products.hpp"

#include "core/simd.hpp"

#include <cstring>

namespace proxstream {
namespace {

/// kLanes entries in each of kRows rows, held in registers while k runs.
template <Index kRows>
[[gnu::always_inline]] inline void block(const Strided& left, const Real* right, Index right_row, Index depth,
                                         bool add, Real* out, Index out_row) {
    Lanes sums[kRows];
    for (Index r = 0; r < kRows; ++r) {
        sums[r] = Lanes{};
        if (add) std::memcpy(&sums[r], out + r * out_row, sizeof(Lanes));
    }
    for (Index k = 0; k < depth; ++k) {
        Lanes row;
        std::memcpy(&row, right + k * right_row, sizeof(row));
        for (Index r = 0; r < kRows; ++r) sums[r] += left.data[r * left.row + k * left.column] * row;
    }
    for (Index r = 0; r < kRows; ++r) std::memcpy(out + r * out_row, &sums[r], sizeof(Lanes));
}

/// Columns that do not fill the lanes, one at a time, several rows of them at once.
template <Index kRows>
[[gnu::always_inline]] inline void narrow(const Strided& left, const Real* right, Index right_row,
                                          Index depth, Index width, bool add, Real* out, Index out_row) {
    for (Index v = 0; v < width; ++v) {
        Real sums[kRows];
        for (Index r = 0; r < kRows; ++r) sums[r] = add ? out[r * out_row + v] : 0;
        for (Index k = 0; k < depth; ++k) {
            const Real factor = right[k * right_row + v];
            for (Index r = 0; r < kRows; ++r) sums[r] += left.data[r * left.row + k * left.column] * factor;
        }
        for (Index r = 0; r < kRows; ++r) out[r * out_row + v] = sums[r];
    }
}

/// kRows whole rows.
template <Index kRows>
[[gnu::always_inline]] inline void strip(const Strided& left, const Real* right, Index right_row, Index depth,
                                         Index width, bool add, Real* out, Index out_row) {
    Index v = 0;
    for (; v + kLanes <= width; v += kLanes)
        block<kRows>(left, right + v, right_row, depth, add, out + v, out_row);
    if (v < width) narrow<kRows>(left, right + v, right_row, depth, width - v, add, out + v, out_row);
}

}  // namespace

PROXSTREAM_CLONES void multiply_rows(const Strided& left, const Real* right, Index right_row, Index rows,
                                     Index depth, Index width, bool add, Real* out, Index out_row) {
    constexpr Index kRows = 8;
    Index r = 0;
    for (; r + kRows <= rows; r += kRows) {
        strip<kRows>({left.data + r * left.row, left.row, left.column}, right, right_row, depth, width, add,
                     out + r * out_row, out_row);
    }
    for (; r < rows; ++r) {
        strip<1>({left.data + r * left.row, left.row, left.column}, right, right_row, depth, width, add,
                 out + r * out_row, out_row);
    }
}

}  // namespace proxstream
