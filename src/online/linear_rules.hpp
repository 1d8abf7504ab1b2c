/// Update rules for linear models of rows, f_t(x) = mean of phi(a.x; y): they use the features themselves,
/// not only the gradient.
#pragma once

#include "loss/linear_model.hpp"
#include "online/update_rule.hpp"

namespace proxstream {

/// Recursive least squares with forgetting: the best linear model so far in the squared loss, at n^2
/// operations a row. Other losses of y - a.x are weighted row by row; losses of the margin take an implicit
/// step, which cannot overshoot. The prox of g follows in the Euclidean metric, with the mean step over the
/// coordinates. `memory`: rounds after which a record counts 1/e; infinite: every record counts the same.
RulePointer recursive_least_squares(const LinearModel& model, Real memory);
/// Whether the rule is defined for this loss: one of y - a.x or of the margin y (a.x).
bool squares_fit(const LinearModel& model);

/// Coin betting (the method of Vowpal Wabbit's --coin): a bet on every coordinate, with what was won so far.
/// It has no learning rate.
RulePointer coin_betting(const LinearModel& model);

/// Never moves.
RulePointer fixed_point();

}  // namespace proxstream
