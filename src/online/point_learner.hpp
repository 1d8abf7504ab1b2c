/// A learner of which an ensemble needs the point alone: no window of its own, and nothing measured but its
/// loss.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/record_ref.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace proxstream {

class PointLearner {
  public:
    virtual ~PointLearner() = default;
    virtual ConstView point() const = 0;
    /// g at the point.
    virtual Real regulariser() const = 0;
    /// Learns from a record whose gradient at point() is given. Returns the number of prox calls.
    virtual std::uint64_t learn(const RecordRef& record, ConstView gradient, Scratch& scratch) = 0;
    /// Rolls back the last round: its learn(), its restart(), or both.
    virtual void rollback() = 0;
    /// Goes on from another point.
    virtual void move_to(ConstView point) = 0;
    /// Begins anew at another point. `learned`: learn() was called in this round.
    virtual void restart(ConstView point, bool learned) = 0;
    virtual void serialise(StateArchive& archive) = 0;
};

/// What an update rule sees of a round (see Move, gradient_learner.hpp).
class PointMove {
  public:
    static constexpr bool kReplays = false;

    PointMove(const AnyRegulariser& g, std::vector<Real>& point, const RecordRef& record, ConstView gradient,
              Scratch& scratch)
        : newest_record(record), g_(g), point_(point), gradient_(gradient), scratch_(scratch) {}

    const RecordRef newest_record;
    Real regulariser = 0;
    std::uint64_t proxes = 0;

    ConstView point() const noexcept { return point_; }
    ConstView newest_gradient() const noexcept { return gradient_; }
    Scratch& scratch() noexcept { return scratch_; }
    void keep_within(View direction) const { project_direction(g_, direction); }
    void step(Real step, ConstView direction) { this->step(step, direction, step); }
    void step(Real step, ConstView direction, Real prox_step) {
        step_along(point_, -step, direction, point_);
        apply_prox(prox_step);
    }
    void jump_to(ConstView target, Real prox_step) {
        copy(target, point_);
        apply_prox(prox_step);
    }

  private:
    void apply_prox(Real step) {
        regulariser = g_.prox(point_, step, point_, scratch_);
        ++proxes;
    }

    const AnyRegulariser& g_;
    std::vector<Real>& point_;
    ConstView gradient_;
    Scratch& scratch_;
};

template <class Rule>
class RulePoint final : public PointLearner {
  public:
    RulePoint(AnyRegulariser g, std::vector<Real> start, Rule rule)
        : g_(std::move(g)), point_(std::move(start)), before_(point_), rule_(rule), fresh_(std::move(rule)) {
        Scratch scratch;
        regulariser_ = g_.value(point_, scratch);
        if (!std::isfinite(regulariser_)) regulariser_ = g_.prox(point_, 1, point_, scratch);
        regulariser_before_ = regulariser_;
        before_ = point_;
    }

    ConstView point() const override { return point_; }
    Real regulariser() const override { return regulariser_; }

    std::uint64_t learn(const RecordRef& record, ConstView gradient, Scratch& scratch) override {
        copy(point_, before_);
        regulariser_before_ = regulariser_;
        rule_before_restart_.reset();
        PointMove move(g_, point_, record, gradient, scratch);
        rule_.move(move);
        if (move.proxes > 0) regulariser_ = move.regulariser;
        return move.proxes;
    }
    void rollback() override {
        if (rule_before_restart_) {
            rule_ = *std::exchange(rule_before_restart_, std::nullopt);
        } else {
            rule_.rollback();
        }
        point_.swap(before_);
        regulariser_ = regulariser_before_;
    }
    void move_to(ConstView point) override {
        copy(point, point_);
        Scratch scratch;
        regulariser_ = g_.value(point_, scratch);
    }
    void restart(ConstView point, bool learned) override {
        if (learned) {
            rule_.rollback();
        } else {
            copy(point_, before_);
            regulariser_before_ = regulariser_;
        }
        rule_before_restart_ = rule_;
        rule_ = fresh_;
        // A fixed point is what its name says, or nothing.
        if constexpr (!requires { Rule::kFixed; }) move_to(point);
    }
    void serialise(StateArchive& archive) override {
        archive.fixed("point", point_);
        archive.fixed("point before", before_);
        archive.field("regulariser", regulariser_);
        archive.field("regulariser before", regulariser_before_);
        archive.section("rule", rule_);
        bool restarted = rule_before_restart_.has_value();
        archive.field("restarted", restarted);
        if (archive.reading()) rule_before_restart_ = restarted ? std::optional<Rule>(fresh_) : std::nullopt;
        if (restarted) archive.section("rule before", *rule_before_restart_);
    }

  private:
    AnyRegulariser g_;
    std::vector<Real> point_, before_;
    Real regulariser_ = 0;
    Real regulariser_before_ = 0;
    Rule rule_;
    Rule fresh_;                               // as it was before its first round
    std::optional<Rule> rule_before_restart_;  // of the last round, where it ended in a restart
};

}  // namespace proxstream
