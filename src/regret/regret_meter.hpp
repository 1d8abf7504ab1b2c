/// Measures the local regret of a played sequence for any windows, from the points and the losses alone. The
/// learner that played is not involved and not charged.
#pragma once

#include "proxstream/prox/prox_gradient_step.hpp"

#include "window/carried_window.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace proxstream {

template <Regulariser G, RecordBatch B>
class RegretMeter {
  public:
    using Record = typename B::Record;

    /// `make_batch(capacity)` gives an empty store of the family's records.
    template <class MakeBatch>
    RegretMeter(G g, const MakeBatch& make_batch, Index dimension, Real step,
                const std::vector<Index>& windows)
        : g_(std::move(g)),
          step_(step),
          point_(dimension),
          forward_(dimension),
          gap_(dimension),
          gaps_(windows.size()),
          values_(windows.size()) {
        windows_.reserve(windows.size());
        for (const Index length : windows) {
            windows_.emplace_back(AnyBatch(make_batch(CarriedWindow::slots(length))), dimension, length);
        }
    }

    /// f_t = record was revealed after x_t = point was played; the loss is finite there.
    void measure(const Record& record, ConstView point) {
        const bool moved = !std::equal(point.begin(), point.end(), point_.begin());
        if (moved) copy(point, point_);
        for (Index i = 0; i < windows_.size(); ++i) {
            CarriedWindow& window = windows_[i];
            window.arrive(record, point, scratch_);
            window.carry(point, scratch_);
            if (window.length() > 1 && (moved || window.due_for_pass())) {
                window.try_at(point, scratch_);
                window.accept_trial();
            }
            gaps_[i] =
                prox_gradient_step(g_, point, window.gradient(), step_, {forward_, gap_}, scratch_).norm;
            values_[i] = window.value();
        }
    }

    ConstView gaps() const noexcept { return gaps_; }      // |P(x_t; grad S_{t,w'}(x_t))| for each w'
    ConstView values() const noexcept { return values_; }  // S_{t,w'}(x_t)

    Cost cost() const {
        Cost total;
        for (const CarriedWindow& window : windows_) total += window.cost();
        return total;
    }

    void serialise(StateArchive& archive) {
        archive.agree("windows", windows_.size());
        archive.fixed("point", point_);
        for (CarriedWindow& window : windows_) archive.section("window", window);
    }

  private:
    G g_;
    Real step_;
    Scratch scratch_;
    std::vector<Real> point_, forward_, gap_;
    std::vector<CarriedWindow> windows_;
    std::vector<Real> gaps_;
    std::vector<Real> values_;
};

}  // namespace proxstream
