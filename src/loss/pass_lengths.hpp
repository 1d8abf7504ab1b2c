/// The sizes that a pass over records is given.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <string>

namespace proxstream {

/// Throws ConfigError unless the point, and the gradient where one is wanted, are as long as the model.
inline void check_lengths(Index dimension, ConstView x, View gradient) {
    if (x.size() == dimension && (gradient.empty() || gradient.size() == dimension)) return;
    throw ConfigError("the model has " + std::to_string(dimension) + " coordinates; the point has " +
                      std::to_string(x.size()) + " and the gradient " + std::to_string(gradient.size()));
}

}  // namespace proxstream
