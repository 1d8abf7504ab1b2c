/// Data-row families that evaluate any weighted list of records in one pass. A single record and a whole
/// window run through the same code.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/loss/row_family.hpp"

#include "loss/row_ring.hpp"
#include "loss/scalar_loss.hpp"

#include <cassert>
#include <optional>
#include <span>
#include <string>

namespace proxstream {

template <class F>
class RowBatch;

class PassFamily : public RowFamily {
  public:
    virtual Index features() const = 0;

    /// Returns the weighted sum of the records' losses at x, added in the order given. Overwrites `gradient`
    /// with its gradient, unless `gradient` is empty.
    virtual Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
                      Scratch& scratch) const = 0;

    /// Where the loss is quadratic: adds its second derivative, each row with its share, to the matrix, row
    /// by row. False: it is not, or its second derivative is not known here.
    virtual bool add_curvature(const RecordRows& /*record*/, View /*matrix*/) const { return false; }

    /// The loss of a row's score a.x. Where x has one coordinate more than there are features, the score has
    /// an intercept. nullopt: a row's loss is not a function of such a score.
    virtual std::optional<ScalarLoss> of_scores() const { return std::nullopt; }

    /// Where a row has scores that are linear in x: a bound on the norm of its loss's second derivative in
    /// them. nullopt: there are no such scores, so a mean of models need not be a model.
    virtual std::optional<Real> score_curvature() const { return std::nullopt; }

    /// Multiply-adds that `rows` rows with `stored` values in all cost a pass; decides how passes are cut.
    virtual Index work(Index /*rows*/, Index stored) const { return stored; }

    /// Throws ConfigError unless the point, and a gradient that is not empty, are as long as the model.
    void check_lengths(ConstView x, View gradient) const {
        if (x.size() == dimension() && (gradient.empty() || gradient.size() == dimension())) return;
        throw ConfigError("the model has " + std::to_string(dimension()) + " coordinates; the point has " +
                          std::to_string(x.size()) + " and the gradient " + std::to_string(gradient.size()));
    }

    /// The loss of one record, by pass().
    Real pass_record(const RecordRows& record, ConstView x, View gradient, Scratch& scratch) const {
        if (record.weights == nullptr) return pass({&record, 1}, x, gradient, scratch);
        Scratch::Frame frame(scratch);
        return pass(split_by_weight({&record, 1}, frame), x, gradient, scratch);
    }
    Real value(const RowBlock& record, ConstView x, Scratch& scratch) const final {
        return pass_record(rows_of(record, features()), x, {}, scratch);
    }
    Real value_and_gradient(const RowBlock& record, ConstView x, View gradient,
                            Scratch& scratch) const final {
        assert(!gradient.empty());
        return pass_record(rows_of(record, features()), x, gradient, scratch);
    }
};

/// Makes the store of records of the family F, which derives from this.
template <class F>
class StoredFamily : public PassFamily {
  public:
    using Batch = RowBatch<F>;
    AnyBatch make_batch(Index capacity) const final {
        return AnyBatch(Batch(static_cast<const F&>(*this), capacity));
    }
};

/// The same as family.pass, spread over threads where the work is worth it. Records are cut into chunks by
/// the work alone, and chunks are added in their order. So the number of threads does not change a bit. Work
/// too small for two chunks is family.pass itself.
Real chunked_pass(const PassFamily& family, std::span<const RecordRows> records, ConstView x, View gradient,
                  Scratch& scratch);

}  // namespace proxstream
