/// Online first-order baselines: prox steps along directions made from the gradients of single losses. Their
/// window only measures, so that their ledgers have the same figures as others; the referee pays for it.
#pragma once

#include "online/played_round.hpp"
#include "online/update_rule.hpp"

#include <functional>
#include <vector>

namespace proxstream {

class GradientLearner final : public AnyLearner {
  public:
    /// `batch` holds at least CarriedWindow::slots() of the window.
    GradientLearner(AnyRegulariser g, AnyBatch batch, std::vector<Real> start, const WindowWeights& window,
                    Real reference_step, RulePointer rule);

    ConstView decide() const override { return round_.iterate().point; }
    bool enter(const RecordRef& record, RoundReport& report) override;
    void advance(RoundReport& report, ConstView start) override;
    void rollback() override;
    RoundReport revise(const std::function<void(View)>& repair) override;
    RunHeader facts() const override;
    Closing close() override { return round_.close(); }
    double seconds() const override { return seconds_; }
    void serialise(StateArchive& archive) override;

  private:
    PlayedRound round_;
    RulePointer rule_, rule_before_;  // rule_before_: at the start of the last round
    RecordRef record_;                // the newest, between enter() and advance()
    double seconds_ = 0;
};

}  // namespace proxstream
