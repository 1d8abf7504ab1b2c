/// Figures of predictions: over all rows so far, and over the newest rows.
///
/// numbers: MAE, RMSE, R2. Two classes: accuracy, log loss, AUC, F1 of the positive class. Several classes:
/// accuracy, log loss, macro F1 (the mean over classes that occur as a label or as a prediction). The mean
/// loss comes first in all of them. A figure that is not defined, such as the AUC of one class, is NaN.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/target_kind.hpp"

#include "core/not_known.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace proxstream {

/// A row after its label was revealed.
struct ScoredRow {
    Real prediction = 0;           // a number, the score of a sign, or the class
    Real label = 0;                // in the same units; -1 or +1 for a sign
    Real weight = 1;               // positive
    Real probability = kNotKnown;  // the probability that the model gave to the label
    Real loss = kNotKnown;         // the row's loss; NaN: left out of the mean
};

/// Area under the ROC curve: the share of pairs of a positive and a negative row whose scores are in order.
class AreaUnderCurve {
  public:
    /// The area is exact up to this number of rows. Beyond, scores are counted on a fixed grid with 128 cells
    /// per factor of 2, from 2^-8 to 2^8 on both sides of 0.
    static constexpr Index kExactRows = 4096;

    struct Value {
        Real area = kNotKnown;
        Real within = 0;  // the exact area differs by at most this: half the share of pairs in the same cell
    };

    /// Leaves out rows whose score is NaN.
    void add(const ScoredRow& row);
    Value value() const;
    void serialise(StateArchive& archive);

  private:
    void count(Real score, Real positive, Real negative);
    void pour();

    std::vector<Real> scores_, signed_weights_;  // of the first rows; the sign is that of the label
    std::vector<Real> positive_, negative_;      // weights by cell; empty while the area is exact
};

/// The sums behind all figures except the AUC.
struct MetricSums {
    Real weight = 0;
    Real loss = 0, loss_weight = 0;
    Real absolute = 0, squares = 0;  // of errors
    Real mean = 0, spread = 0;       // of labels: Welford's recursion
    Real log_loss = 0;
    std::vector<Real> right, predicted, labelled;  // weights by class

    explicit MetricSums(Index classes = 0) : right(classes), predicted(classes), labelled(classes) {}
    void add(TargetKind kind, const ScoredRow& row);
    void serialise(StateArchive& archive);
};

struct Metric {
    std::string_view name;
    Real value = kNotKnown;
};

class Metrics {
  public:
    static constexpr Index kRecentRows = 1000;

    /// `classes`: the number of categories; `recent`: the rows of the sliding window.
    explicit Metrics(TargetKind kind = TargetKind::none, Index classes = 0, Index recent = kRecentRows);

    /// Takes constant time.
    void add(const ScoredRow& row);
    std::uint64_t rows() const noexcept { return rows_; }
    /// Over all rows so far.
    std::vector<Metric> all() const;
    /// Over the newest rows. Summed again each time, so that rows that have left leave no rounding errors.
    std::vector<Metric> recent() const;
    /// The largest possible distance of the AUC in all() from the exact one.
    Real area_within() const { return area_.value().within; }

    void serialise(StateArchive& archive);

  private:
    std::vector<Metric> figures(const MetricSums& sums, Real area) const;

    TargetKind kind_;
    Index window_;
    MetricSums sums_;
    AreaUnderCurve area_;
    std::vector<ScoredRow> ring_;  // of the newest rows; full when it has window_ rows
    Index oldest_ = 0;
    std::uint64_t rows_ = 0;
};

/// The metric called `name`, NaN if there is none.
Real value_of(const std::vector<Metric>& metrics, std::string_view name);

}  // namespace proxstream
