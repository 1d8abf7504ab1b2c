/// A bank of learners: several windows (and cheap first-order learners beside them) live on one store of
/// records, and a selector decides by realised loss whose point is played. What was played is certified for
/// the window of the member that played it (docs/theory.md, banks); nothing holds for another window.
///
/// A member may start its loop from the point that a shorter one, which did better lately, has just found,
/// where its own model is lower there: short windows find a new basin, long ones inherit it.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/any_batch.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "online/selector.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

struct BankOptions {
    Selector::Options selector;
    std::string play = "adashare";  // the selector's text
    bool cross_start = true;
    Real smoothness = 0;  // L, for the guard of mean play
    std::uint64_t seed = 0;
};

class Bank final : public AnyLearner {
  public:
    using Store = AnyBatch;
    using Members = std::vector<std::unique_ptr<AnyLearner>>;

    /// `store` is filled here and read by every member through SharedBatch. Members are ordered by length.
    Bank(AnyRegulariser g, std::shared_ptr<Store> store, Members members, std::vector<std::string> names,
         BankOptions options)
        : g_(std::move(g)),
          store_(std::move(store)),
          members_(std::move(members)),
          names_(std::move(names)),
          options_(std::move(options)),
          selector_(options_.selector, members_.size(), options_.seed),
          reports_(members_.size()),
          losses_(members_.size()),
          recent_(members_.size()),
          recent_before_(members_.size()),
          point_(members_.front()->decide().size()),
          played_(point_.size()) {
        choose_point();
    }

    ConstView decide() const override { return point_; }

    void expect(const RecordRef& forecast) override {
        for (auto& member : members_) member->expect(forecast);
    }

    bool enter(const RecordRef& record, RoundReport& report) override {
        store_->push(record);
        for (Index k = 0; k < members_.size(); ++k) {
            reports_[k] = RoundReport{};
            if (!members_[k]->enter(record, reports_[k])) {
                refuse(k, k, report);
                return false;
            }
        }
        return true;
    }

    void advance(RoundReport& report, ConstView /*start*/) override {
        for (Index k = 0; k < members_.size(); ++k) {
            members_[k]->advance(reports_[k], start_for(k));
            if (reports_[k].status == RoundStatus::refused) {
                refuse(k, members_.size(), report);
                return;
            }
        }
        const Index in_charge = selector_.in_charge();
        report = reports_[in_charge];
        round_.in_charge = in_charge;
        round_.offset = offset_;
        round_.spread = spread_;
        weights_.assign(selector_.weights().begin(), selector_.weights().end());
        round_.weights = weights_;
        round_.members = reports_;
        add_up(report);
        if (offset_ > 0) {
            report.loss = store_->value(0, point_, scratch_);
            report.regulariser = g_.value(point_, scratch_);
            ++report.cost.record_values;
        }

        for (Index k = 0; k < members_.size(); ++k) {
            losses_[k] = reports_[k].loss + reports_[k].regulariser;
            recent_before_[k] = recent_[k];
            recent_[k] += (1 - kMemory) * (losses_[k] - recent_[k]);
        }
        selector_.update(losses_);
        round_.rate = selector_.rate();
        round_.share = selector_.share();
        copy(point_, played_);
        choose_point();
        note_movement(played_, point_, report);
    }

    void take_back() override {
        for (auto& member : members_) member->take_back();
        store_->drop_newest();
        selector_.take_back();
        recent_ = recent_before_;
        choose_point();
    }

    RoundReport revise(const std::function<void(View)>& repair) override {
        RoundReport report;
        for (Index k = 0; k < members_.size(); ++k) {
            reports_[k] = members_[k]->revise(repair);
            if (reports_[k].status == RoundStatus::refused) report.status = RoundStatus::refused;
        }
        if (report.status != RoundStatus::refused) report = reports_[selector_.in_charge()];
        add_up(report);
        choose_point();
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts;
        facts.name = "bank";
        facts.dimension = point_.size();
        facts.play = options_.play;
        facts.counts_steps = false;
        for (Index k = 0; k < members_.size(); ++k) {
            facts.members.push_back(members_[k]->facts());
            facts.members.back().name = names_[k];
            facts.window = std::max(facts.window, facts.members.back().window);
            facts.promises_exit = facts.promises_exit && facts.members.back().promises_exit;
        }
        const LearnerFacts& longest = facts.members.back();
        facts.window_text = "auto";
        facts.effective_length = longest.effective_length;
        facts.model = longest.model;
        facts.step = longest.step;
        facts.hysteresis = longest.hysteresis;
        facts.switching = longest.switching;
        facts.initial_residual = facts.members[selector_.in_charge()].initial_residual;
        facts.initial_records = longest.initial_records;
        facts.initial_objective = longest.initial_objective;
        facts.infimum_regulariser = longest.infimum_regulariser;
        facts.prox_scale = longest.prox_scale;
        return facts;
    }

    Closing close() override {
        Closing closing;
        for (auto& member : members_) closing.members.push_back(member->close());
        closing.regulariser = g_.value(point_, scratch_);
        return closing;
    }

    const BankRound* bank() const override { return &round_; }

    double seconds() const override {
        double total = 0;
        for (const auto& member : members_) total += member->seconds();
        return total;
    }

    void exchange(Checkpoint& checkpoint) override {
        checkpoint.agree("members", members_.size());
        checkpoint.part("store", *store_);
        for (auto& member : members_) checkpoint.part("member", *member);
        checkpoint.part("selector", selector_);
        checkpoint.fixed("recent", recent_);
        checkpoint.fixed("recent before", recent_before_);
        if (checkpoint.reading()) choose_point();
    }

  private:
    static constexpr Real kClearly = 0.5;  // of its own loss a member has to be behind
    static constexpr Real kMemory = 0.95;  // of the losses that tell who does better lately

    /// The point of the member before k that did best lately, if it did clearly better than k itself: others
    /// have nothing to teach, however low they stand in k's window.
    ConstView start_for(Index k) const {
        if (!options_.cross_start || k == 0) return {};
        const auto best = static_cast<Index>(
            std::min_element(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(k)) -
            recent_.begin());
        return recent_[k] - recent_[best] > kClearly * std::abs(recent_[k]) ? members_[best]->decide()
                                                                            : ConstView{};
    }

    /// Member `refusing` refused; those below `entered`, itself left out, still have the round and forget it.
    void refuse(Index refusing, Index entered, RoundReport& report) {
        report = RoundReport{};
        report.round = reports_[refusing].round;
        report.status = RoundStatus::refused;
        for (Index k = 0; k < members_.size(); ++k) {
            if (k != refusing && k >= entered) continue;
            if (k != refusing) members_[k]->take_back();
            report.cost += reports_[k].cost;
            report.referee_cost += reports_[k].referee_cost;
        }
        store_->drop_newest();
    }

    /// What all members did, charged to the bank.
    void add_up(RoundReport& report) const {
        report.cost = {};
        report.referee_cost = {};
        report.steps = report.cheap_steps = report.confirmations = report.failed_confirmations = 0;
        for (const RoundReport& member : reports_) {
            report.cost += member.cost;
            report.referee_cost += member.referee_cost;
            report.steps += member.steps;
            report.cheap_steps += member.cheap_steps;
            report.confirmations += member.confirmations;
            report.failed_confirmations += member.failed_confirmations;
        }
    }

    /// z_t: the point of the member in charge, or the mean of all while they are close enough together for
    /// f(mean) <= mean f + (L/2) Var to cost no more than tau.
    void choose_point() {
        copy(members_[selector_.in_charge()]->decide(), point_);
        offset_ = spread_ = 0;
        if (!options_.selector.mean) return;
        mean_.assign(point_.size(), 0);
        for (Index k = 0; k < members_.size(); ++k)
            axpy(selector_.weights()[k], members_[k]->decide(), mean_);
        for (Index k = 0; k < members_.size(); ++k) {
            const Real away = distance(members_[k]->decide(), mean_);
            spread_ += selector_.weights()[k] * away * away;
        }
        if (!(options_.smoothness / 2 * spread_ <= options_.selector.tau)) return;
        offset_ = distance(mean_, point_);
        copy(mean_, point_);
    }

    AnyRegulariser g_;
    std::shared_ptr<Store> store_;
    Members members_;
    std::vector<std::string> names_;
    BankOptions options_;
    Selector selector_;
    std::vector<RoundReport> reports_;
    std::vector<Real> losses_;
    std::vector<Real> recent_;  // l_t(k), discounted
    std::vector<Real> recent_before_;
    std::vector<Real> weights_;
    std::vector<Real> point_;   // z_t
    std::vector<Real> played_;  // the one before
    std::vector<Real> mean_;
    Real offset_ = 0;
    Real spread_ = 0;
    BankRound round_;
    Scratch scratch_;
};

}  // namespace proxstream
