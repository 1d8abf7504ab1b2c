/// The window as a stochastic method sees it: at every point an estimate G of grad S_t, drawn from an oracle.
/// It stands where the exact window stands (window/carried_window.hpp), so the same inner loop runs on both.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/smooth_objective.hpp"
#include "window/oracle.hpp"
#include "window/window_weights.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace proxstream {

/// How one estimate follows another.
struct EstimatorOptions {
    enum class Kind {
        fresh,   // every record answers anew for every estimate, at the start of a round too
        paper,   // as Algorithm 2 is printed: a round starts from the answers the last one ended with, and
                 // only the newest record is asked
        spider,  // from the last estimate by a difference, with a fresh one every `restart` (section 17 of
                 // docs/theory.md)
    };
    Kind kind = Kind::fresh;
    std::uint64_t batch = 1;    // B: base samples of a spider's fresh estimate, over the whole window
    std::uint64_t samples = 1;  // b: of a difference
    std::uint64_t restart = 1;  // q: differences between two fresh estimates
};

class OracleWindow final : public EstimatedObjective {
  public:
    /// `batch` is filled by its owner: the newest record is there when begin_round() is called. Kind paper
    /// needs a box. Throws ConfigError for windows whose weights vary: what is claimed of the noise would not
    /// hold while they are short.
    OracleWindow(AnyBatch batch, Index dimension, WindowWeights weights, AnyOracle oracle,
                 const EstimatorOptions& options, std::uint64_t seed);

    /// Round t begins at x: gradient() becomes its first estimate. False: it is not finite, and the caller
    /// has to roll the round back.
    bool begin_round(ConstView x, Scratch& scratch);
    void rollback();

    /// The next estimate along the way, at y. It becomes gradient() only when accepted.
    Real try_at(ConstView y, Scratch& scratch) override;
    /// An estimate at y that depends on no sample drawn before.
    void redraw_at(ConstView y, Scratch& scratch) override;
    bool trial_finite() const override { return all_finite(trial_.gradient); }
    ConstView trial_gradient() const override { return trial_.gradient; }
    void accept_trial() override { std::swap(current_, trial_); }
    Real value() const override { return std::numeric_limits<Real>::quiet_NaN(); }
    ConstView gradient() const override { return current_.gradient; }

    /// s_t: E|e|^2 <= s_t^2 for a fresh estimate of this round's window; nullopt: unknown.
    std::optional<Real> level() const { return oracle_->level(live_weights(), answer_samples()); }
    /// The same once the window is full.
    std::optional<Real> full_level() const;
    const GradientOracle& oracle() const noexcept { return *oracle_; }
    const EstimatorOptions& options() const noexcept { return options_; }
    const Cost& cost() const noexcept { return cost_; }

    void serialise(StateArchive& archive);

  private:
    struct Estimate {
        Estimate(Index dimension, Index kept)
            : gradient(dimension), point(dimension), answers(dimension * kept) {}
        std::vector<Real> gradient;  // G
        std::vector<Real> point;     // where
        std::uint64_t differences = 0;
        std::vector<Real> answers;  // of kind paper: the records' own, by round modulo w

        void serialise(StateArchive& archive) {
            archive.fixed("gradient", gradient);
            archive.fixed("answers", answers);
        }
    };

    std::span<const Real> live_weights() const;
    OracleView view() const { return {batch_, live_weights()}; }
    OracleCall next_call(std::uint64_t samples, Scratch& scratch);

    std::uint64_t answer_samples() const { return samples_each(count_records(live_weights())); }
    std::uint64_t samples_each(std::uint64_t records) const;

    View answer_of(Estimate& estimate, Index age) const;

    /// Steps 2 and 3 of Algorithm 2: the newest record answers, the one that leaves takes its old answer
    /// along.
    void enter_newest(ConstView x, Scratch& scratch);
    /// Steps 5(b) and 5(c): every record answers, and the answers are kept.
    void ask_all(ConstView y, Scratch& scratch);

    AnyBatch batch_;
    WindowWeights window_;
    AnyOracle oracle_;
    EstimatorOptions options_;
    std::uint64_t seed_;
    std::vector<Real> weights_;
    Round round_ = 0;
    std::uint32_t pass_ = 0;
    Estimate current_;
    Estimate before_;
    Estimate trial_;
    Cost cost_;
};

}  // namespace proxstream
