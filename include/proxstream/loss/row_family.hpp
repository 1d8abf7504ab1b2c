/// What a data-row loss is to the rest of the program once it is chosen at run time: `learn` holds one of
/// these, whatever the formula behind it.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace proxstream {

/// Lipschitz constants of gradients over a whole data set; each holds on all of R^n.
struct DataSmoothness {
    Real mean = 0;         // of the rows' mean
    Real mean_square = 0;  // of single rows, in the root mean square
    Real largest = 0;      // of the worst single row
    std::string origin;    // how they were found, in words
};

class RowFamily {
  public:
    using Record = RowBlock;
    virtual ~RowFamily() = default;

    /// Length of x. Coordinates a regulariser acts on come first: [0, penalised()); intercepts and biases
    /// follow.
    virtual Index dimension() const = 0;
    virtual Index penalised() const = 0;
    virtual TargetKind target_kind() const = 0;
    virtual Index classes() const { return 0; }

    virtual Real value(const RowBlock& record, ConstView x, Scratch& scratch) const = 0;
    virtual Real value_and_gradient(const RowBlock& record, ConstView x, View gradient,
                                    Scratch& scratch) const = 0;

    /// What the model says about one row before its target is known, by target kind. number: the fitted
    /// value. sign: the score, whose sign is the predicted label. category: the most likely class. none: the
    /// score.
    virtual Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const = 0;

    /// The target a prediction stands for: -1 or +1 for a score of a sign loss (0 counts as +1), else the
    /// prediction itself. A NaN stays one.
    Real label(Real prediction) const {
        if (target_kind() != TargetKind::sign || prediction != prediction) return prediction;
        return prediction < 0 ? -1 : 1;
    }

    /// An L such that grad f is L-Lipschitz for this record, where one is known on all of R^n (else nullopt).
    virtual std::optional<Real> smoothness(const RowBlock& record) const = 0;
    /// An Lb such that the gradients of single rows change by at most Lb |x - y| in the root mean square over
    /// the record's rows.
    virtual std::optional<Real> mean_square_smoothness(const RowBlock& /*record*/) const {
        return std::nullopt;
    }
    /// The constants of a record that is a whole data set: worth passes over it, unlike those above, which a
    /// learner asks for while it runs.
    virtual std::optional<DataSmoothness> data_smoothness(const RowBlock& /*rows*/) const {
        return std::nullopt;
    }
    /// A lower bound of the loss of every record.
    virtual Real infimum() const { return -kInfinity; }
    /// Why a row of features that are numbers is still none this family can use, or "". Its loss is NaN.
    virtual std::string row_problem(const RowBlock& /*record*/, Index /*row*/) const { return {}; }

    /// Where learning starts unless the user says otherwise: zeros, or a seeded draw for networks.
    virtual void start(View x, std::uint64_t seed) const = 0;

    /// The store for windows of this family: holds the newest `capacity` records.
    virtual AnyBatch make_batch(Index capacity) const = 0;
};

}  // namespace proxstream
