/// The matrix products of small networks.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// A matrix by how far apart its entries are.
struct Strided {
    const Real* data;
    Index row;     // from a row to the next
    Index column;  // from a column to the next
};

/// out[r][v] = (add ? out[r][v] : 0) + sum over k < depth of left(r, k) right[k][v], for r < rows, v < width.
/// The rows of `right` and of `out` are contiguous and lie `right_row` and `out_row` apart.
struct TileProduct {
    Strided left;
    const Real* right;
    Index right_row;
    Index rows;
    Index depth;
    Index width;
    bool add;
    Real* out;
    Index out_row;
};

/// Every entry is summed over k in order, so it depends on its own row and column alone, and on no
/// instruction set.
void multiply(const TileProduct& product);

}  // namespace proxstream
