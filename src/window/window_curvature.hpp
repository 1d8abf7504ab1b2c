/// The second derivative of a window whose losses are quadratic, as a matrix. Made of all records when first
/// asked for, and from then on kept up by those that come and go, as long as somebody asks. What has gone
/// leaves its rounding behind, so after a window's length it is made of all records again: one record's work
/// a round.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/loss_family.hpp"

#include "window/window_weights.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace proxstream {

class WindowCurvature {
  public:
    static constexpr Index kMostCoordinates = 512;

    explicit WindowCurvature(Index dimension) : dimension_(dimension) {}

    /// Row by row; empty where the losses are not quadratic or have too many coordinates. `weights` by age.
    template <RecordBatch B>
    ConstView of(const B& batch, std::span<const Real> weights) {
        idle_ = 0;
        if (!matrix_.empty() || !quadratic_ || dimension_ > kMostCoordinates) return matrix_;
        matrix_.assign(dimension_ * dimension_, 0);
        age_ = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0 || add_curvature(batch, age, weights[age], matrix_)) continue;
            quadratic_ = false;
            matrix_.clear();
            break;
        }
        return matrix_;
    }

    /// A loss has come. What nobody asked about for half a window is cheaper to make anew than to keep up.
    template <RecordBatch B>
    void follow(const B& batch, const WindowRecurrence& recurrence) {
        before_.clear();
        idle_before_ = idle_;
        age_before_ = age_;
        if (matrix_.empty()) return;
        std::swap(before_, matrix_);
        if (++idle_ > batch.size() / 2 || ++age_ > batch.size()) return;
        if (recurrence.of_sum != 0 || recurrence.keep == 0) return;
        matrix_.resize(before_.size());
        scaled(recurrence.keep, before_, matrix_);
        for (const WeightedAge& each : recurrence.records) {
            if (each.age < batch.size()) add_curvature(batch, each.age, each.weight, matrix_);
        }
    }

    /// As it was before the last follow(), with what it was asked since forgotten.
    void rollback() {
        std::swap(matrix_, before_);
        before_.clear();
        idle_ = idle_before_;
        age_ = age_before_;
    }

    void serialise(StateArchive& archive) {
        archive.list("matrix", matrix_);
        archive.list("matrix before", before_);
        archive.field("idle", idle_);
        archive.field("idle before", idle_before_);
        archive.field("age", age_);
        archive.field("age before", age_before_);
        if (!archive.reading()) return;
        const auto fits = [&](const std::vector<Real>& each) {
            return each.empty() || each.size() == dimension_ * dimension_;
        };
        archive.require(fits(matrix_) && fits(before_), "a matrix of its dimension");
    }

  private:
    Index dimension_;
    bool quadratic_ = true;     // as far as is known: a family's losses are or they are not
    std::vector<Real> matrix_;  // empty: not known
    std::vector<Real> before_;  // before the last loss came
    Index idle_ = 0;            // rounds since somebody asked
    Index idle_before_ = 0;
    Index age_ = 0;  // rounds since it was made of all records
    Index age_before_ = 0;
};

}  // namespace proxstream
