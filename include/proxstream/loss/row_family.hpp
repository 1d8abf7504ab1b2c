/// The interface of a loss of data rows that is chosen at run time.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace proxstream {

/// Lipschitz constants of gradients over a whole data set, valid on all of R^n. Offline methods derive their
/// steps from them. RowFamily::data_smoothness computes them with a few passes over the rows.
///
/// \code
/// const auto family = make_row_family("huber:1", {.features = 20});
/// if (const auto known = family->data_smoothness(rows)) std::cout << known->mean << '\n';
/// \endcode
struct DataSmoothness {
    Real mean = 0;         ///< L of the mean over the rows
    Real mean_square = 0;  ///< Lb of single rows, as a root mean square over them; L <= Lb
    Real largest = 0;      ///< L of the worst single row; infinite if none is known
    bool proved = false;   ///< they hold everywhere; otherwise they were measured somewhere
    std::string origin;    ///< how they were found, in words
};

/// A loss of data rows behind one interface: linear models, factor models and small networks. make_row_family
/// makes one from a text; OnlineLearner takes it. To write a loss of your own, derive from RowLoss, which is
/// simpler.
///
/// \code
/// auto family = make_row_family("cauchy:1", {.features = 20});
/// OnlineLearner learner({.regulariser = L1Norm(0.02)}, std::move(family));
/// \endcode
/// Example: examples/02_robust_regression.cpp
class RowFamily {
  public:
    /// Records are blocks of rows; the loss of a record is the mean over its rows.
    using Record = RowBlock;
    virtual ~RowFamily() = default;

    /// Length of x: first the penalised() coordinates that a regulariser acts on, then intercepts and biases.
    virtual Index dimension() const = 0;
    /// Number of leading coordinates that a regulariser acts on.
    virtual Index penalised() const = 0;
    /// What targets have to be.
    virtual TargetKind target_kind() const = 0;
    /// Number of classes if targets are categories; else 0.
    virtual Index classes() const { return 0; }

    /// The loss f(x) of a record.
    virtual Real value(const RowBlock& record, ConstView x, Scratch& scratch) const = 0;
    /// The same, and overwrites `gradient`.
    virtual Real value_and_gradient(const RowBlock& record, ConstView x, View gradient,
                                    Scratch& scratch) const = 0;

    /// The prediction for one row, without its target. What it is depends on the target kind. number: the
    /// fitted value. sign: the score, whose sign is the predicted label. category: the most likely class.
    /// none: the score.
    virtual Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const = 0;

    /// Whether probabilities() gives any.
    virtual bool has_probabilities() const { return false; }
    /// Overwrites `out` with the probability of each class for one row, without its target: of -1 and +1 for
    /// losses of signs, else of 0, ..., classes() - 1. False: the loss has no probabilities, and `out` is as
    /// before. NaN where the score is.
    virtual bool probabilities(const RowBlock& /*record*/, Index /*row*/, ConstView /*x*/, View /*out*/,
                               Scratch& /*scratch*/) const {
        return false;
    }

    /// Turns a prediction into a target: -1 or +1 for the score of a sign loss (0 counts as +1), else the
    /// prediction itself. NaN stays NaN.
    Real label(Real prediction) const {
        if (target_kind() != TargetKind::sign || prediction != prediction) return prediction;
        return prediction < 0 ? -1 : 1;
    }

    /// L such that grad f is L-Lipschitz on all of R^n for this record; nullopt if none is known, as for
    /// networks, whose curvature grows with their weights.
    virtual std::optional<Real> smoothness(const RowBlock& /*record*/) const { return std::nullopt; }
    /// Lb such that gradients of single rows change by at most Lb |x - y| in the root mean square over the
    /// record's rows. nullopt: none is known.
    virtual std::optional<Real> mean_square_smoothness(const RowBlock& /*record*/) const {
        return std::nullopt;
    }
    /// The constants of a whole data set. It may take several passes over the rows, unlike smoothness(),
    /// which learners call while they run.
    virtual std::optional<DataSmoothness> data_smoothness(const RowBlock& /*rows*/) const {
        return std::nullopt;
    }
    /// A lower bound of the loss of every record.
    virtual Real infimum() const { return -kInfinity; }
    /// Why this family cannot use a row although its features are finite, or "". The loss of such a row is
    /// NaN.
    virtual std::string row_problem(const RowBlock& /*record*/, Index /*row*/) const { return {}; }

    /// The exception that a loss of the user's threw since the last call, or null. The loss was NaN then, so
    /// learners have refused the round; the caller throws the exception again.
    virtual std::exception_ptr take_failure() const { return nullptr; }

    /// Writes the default starting point: zeros, or a random draw from `seed` for networks.
    virtual void start(View x, std::uint64_t seed) const = 0;

    /// Makes the store for windows of this family, which holds the newest `capacity` records.
    virtual AnyBatch make_batch(Index capacity) const = 0;
};

}  // namespace proxstream
