/// A member of an ensemble without a window of its own: a point, and a rule that moves it.
#pragma once

#include "online/update_rule.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

class PointLearner {
  public:
    PointLearner(AnyRegulariser g, std::vector<Real> start, RulePointer rule);

    ConstView point() const noexcept { return now_.point; }
    Real regulariser() const noexcept { return now_.regulariser; }  // g at the point
    /// Learns from a record whose gradient at point() is given. Returns the number of prox calls.
    std::uint64_t learn(const RecordRef& record, ConstView gradient, Scratch& scratch);
    /// Starts anew at another point. `learned`: learn() was called in this round.
    void restart(ConstView point, bool learned);
    /// Undoes the last round: its learn(), its restart(), or both.
    void rollback() { std::swap(now_, before_); }
    /// Continues from another point.
    void move_to(ConstView point);
    void serialise(StateArchive& archive);

  private:
    struct State {
        std::vector<Real> point;
        Real regulariser;
        RulePointer rule;
    };

    void keep();

    AnyRegulariser g_;
    RulePointer fresh_;   // the rule before its first round
    State now_, before_;  // before_: at the start of the last round
};

}  // namespace proxstream
