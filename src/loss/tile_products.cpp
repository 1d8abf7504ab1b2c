#include "loss/tile_products.hpp"

#include "core/simd.hpp"

#include <cstring>

namespace proxstream {
namespace {

/// The part of the product that begins at a row and a column.
[[gnu::always_inline]] inline TileProduct part_of(const TileProduct& p, Index row, Index column) {
    TileProduct part = p;
    part.left.data += row * p.left.row;
    part.right += column;
    part.out += row * p.out_row + column;
    return part;
}

/// kLanes entries in each of kRows rows, held in registers while k runs.
template <Index kRows>
[[gnu::always_inline]] inline void block(const TileProduct p) {
    Lanes sums[kRows];
    for (Index r = 0; r < kRows; ++r) {
        sums[r] = Lanes{};
        if (p.add) std::memcpy(&sums[r], p.out + r * p.out_row, sizeof(Lanes));
    }
    for (Index k = 0; k < p.depth; ++k) {
        Lanes row;
        std::memcpy(&row, p.right + k * p.right_row, sizeof(row));
        for (Index r = 0; r < kRows; ++r) sums[r] += p.left.data[r * p.left.row + k * p.left.column] * row;
    }
    for (Index r = 0; r < kRows; ++r) std::memcpy(p.out + r * p.out_row, &sums[r], sizeof(Lanes));
}

/// Columns that do not fill the lanes, one at a time, several rows of them at once.
template <Index kRows>
[[gnu::always_inline]] inline void narrow(const TileProduct p, Index width) {
    for (Index v = 0; v < width; ++v) {
        Real sums[kRows];
        for (Index r = 0; r < kRows; ++r) sums[r] = p.add ? p.out[r * p.out_row + v] : 0;
        for (Index k = 0; k < p.depth; ++k) {
            const Real factor = p.right[k * p.right_row + v];
            for (Index r = 0; r < kRows; ++r)
                sums[r] += p.left.data[r * p.left.row + k * p.left.column] * factor;
        }
        for (Index r = 0; r < kRows; ++r) p.out[r * p.out_row + v] = sums[r];
    }
}

/// kRows whole rows from `row` on.
template <Index kRows>
[[gnu::always_inline]] inline void strip(const TileProduct& p, Index row) {
    Index v = 0;
    for (; v + kLanes <= p.width; v += kLanes) block<kRows>(part_of(p, row, v));
    if (v < p.width) narrow<kRows>(part_of(p, row, v), p.width - v);
}

}  // namespace

PROXSTREAM_CLONES void multiply(const TileProduct& product) {
    constexpr Index kRows = 8;
    Index r = 0;
    for (; r + kRows <= product.rows; r += kRows) strip<kRows>(product, r);
    for (; r < product.rows; ++r) strip<1>(product, r);
}

}  // namespace proxstream
