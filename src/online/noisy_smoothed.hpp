/// The paper's Algorithm 2 made right: as Algorithm 1 (time_smoothed.hpp), but the window's gradient is known
/// only through a stochastic oracle.
///
/// The learner acts on estimates alone. Beside it, at its own cost, a referee may evaluate the same losses
/// exactly. It finds the gap of the decision, and how far the estimates were off. Nothing of that reaches the
/// learner.
#pragma once

#include "online/played_round.hpp"
#include "solve/repeated_test.hpp"
#include "window/oracle_window.hpp"
#include "window/shared_batch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct NoisySmoothedOptions {
    WindowWeights window = 1;
    Real step = 1;        // eta
    Real smoothness = 0;  // the claimed L
    Real delta = 1;       // a round ends when |P(y; G)| <= delta / w_a
    std::uint64_t confirm = 1;
    Budget budget;
    EstimatorOptions estimator;
    std::uint64_t seed = 0;
    bool refereed = true;
    std::string oracle_text;  // for the record, as the next two; empty: the oracle's own name
    std::string noise_origin;
    Real confidence = 0.95;
};

class NoisySmoothed final : public AnyLearner {
  public:
    /// `batch` holds at least CarriedWindow::slots() of the window.
    NoisySmoothed(AnyRegulariser g, AnyBatch batch, std::vector<Real> start, AnyOracle oracle,
                  const NoisySmoothedOptions& options);

    ConstView decide() const override { return iterate_.point; }

    bool enter(const RecordRef& record, RoundReport& report) override;

    void advance(RoundReport& report, ConstView /*start*/) override;

    void rollback() override;

    RunHeader facts() const override;

    Closing close() override;
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override;

  private:
    /// The learner's own part of a round: everything it does, and all it is charged for.
    InnerReport move(RoundReport& report);

    ConstView exact_gradient() const { return referee_.window().gradient(); }

    Cost cost() const { return window_.cost() + inner_cost_; }

    /// Without a referee only the loss itself is looked at.
    bool look(RoundReport& report);

    void refuse(RoundReport& report);

    /// Estimates are the learner's, everything exact is the referee's.
    void charge(RoundReport& report);

    std::shared_ptr<AnyBatch> store_;
    PlayedRound referee_;
    OracleWindow window_;
    NoisySmoothedOptions options_;
    Real tolerance_;
    Iterate iterate_;
    Iterate before_;
    RepeatedTest inner_;
    Scratch scratch_;
    Cost inner_cost_;
    Cost cost_before_;
    Round round_ = 0;
    bool begun_ = false;  // this round's first estimate has been drawn
    double seconds_ = 0;
};

}  // namespace proxstream
