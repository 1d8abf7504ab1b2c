/// What a loss expects beside the features of a row.
#pragma once

namespace proxstream {

/// What the target column has to hold.
enum class TargetKind {
    number,    // any finite number
    sign,      // -1 or +1
    category,  // 0, 1, ..., classes - 1
    none,      // the loss does not look at it
};

}  // namespace proxstream
