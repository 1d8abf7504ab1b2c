/// A few prox steps a round along estimates of the window's gradient, as networks are trained. Each estimate
/// has a fixed number of samples in all, whatever the window's length. No loss is ever evaluated whole, so
/// nothing is measured, and a certificate says just that.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "online/update_rule.hpp"
#include "window/oracle.hpp"
#include "window/window_weights.hpp"

#include <chrono>
#include <concepts>
#include <vector>

namespace proxstream {

struct SampledStepsOptions {
    WindowWeights window = 1;
    Index samples = 64;  // an estimate is made of so many, spread evenly over the window by weight
    Index steps = 1;     // a round
    Real step = 1;       // eta, by which others measure
    std::uint64_t seed = 0;
};

class SampledSteps final : public AnyLearner {
  public:
    /// `batch` holds one record more than the window, for rollback.
    SampledSteps(AnyRegulariser g, AnyBatch batch, std::vector<Real> start,
                 const SampledStepsOptions& options, RulePointer rule);

    ConstView decide() const override { return now_.point; }

    /// The round's first estimate is made here: a loss that is not finite is refused before anything moves.
    bool enter(const RecordRef& record, RoundReport& report) override;

    void advance(RoundReport& report, ConstView /*start*/) override;

    void rollback() override;

    RoundReport revise(const std::function<void(View)>& repair) override;

    RunHeader facts() const override;

    Closing close() override;
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override;

  private:
    struct Position {
        std::vector<Real> point;
        Real regulariser = 0;

        void serialise(StateArchive& archive) {
            archive.fixed("point", point);
            archive.field("regulariser", regulariser);
        }
    };
    /// Where a certificate begins.
    struct Initial {
        Real mapping = 0;
        Real objective = 0;
        Index records = 0;

        void serialise(StateArchive& archive) {
            archive.fields(Field{"gap", mapping}, Field{"objective", objective}, Field{"records", records});
        }
    };

    void begin_anew();

    /// Rows that hold something else would spoil the rounds that happen to draw them, one after the other.
    static bool is_finite(const RecordRef& record);

    /// The mean loss at x_t of the samples drawn. The newest loss is among them, or is looked at besides.
    Real first_estimate();

    /// The k-th estimate of the round, where the point is now. Returns the mean loss of the samples drawn.
    Real estimate(Index k);

    void refuse(RoundReport& report);
    void count_seconds(std::chrono::steady_clock::time_point start);

    AnyRegulariser g_;
    AnyBatch batch_;
    SampledStepsOptions options_;
    std::uint64_t seed_;
    RulePointer rule_before_, rule_;
    Position before_, now_;  // before_: at the start of the last round
    Initial initial_;
    std::vector<Real> weights_;   // of the window, by age
    std::vector<Real> estimate_;  // of its gradient
    Real drawn_mass_ = 0;         // what the weights of the samples add up to
    bool newest_drawn_ = false;   // one of them is of the newest loss
    Scratch scratch_;
    Cost cost_;  // of this round
    Round round_ = 0;
    Round revised_ = 0;  // the round after which everything began anew
    double seconds_ = 0;
};

}  // namespace proxstream
