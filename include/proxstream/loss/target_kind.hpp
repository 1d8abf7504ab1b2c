/// Kinds of targets of data rows.
#pragma once

namespace proxstream {

/// What the target column has to hold. Each loss of data rows has one kind (RowFamily::target_kind); it also
/// decides what a prediction means.
///
/// \code
/// const auto family = make_row_family("logistic", {.features = 20});
/// const bool classifies = family->target_kind() == TargetKind::sign;
/// \endcode
enum class TargetKind {
    number,    ///< any finite number
    sign,      ///< -1 or +1
    category,  ///< 0, 1, ..., classes - 1
    none,      ///< the loss does not use it
};

}  // namespace proxstream
