/// The window as a stochastic method sees it: at every point an estimate G of grad S_t, drawn from an oracle.
/// It stands where the exact window stands (window/carried_window.hpp), so the same inner loop runs on both.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "window/oracle_table.hpp"
#include "window/window_weights.hpp"

#include <algorithm>
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

template <RecordBatch B>
class OracleWindow {
  public:
    /// `batch` is filled by its owner: the newest record is there when begin_round() is called. Kind paper
    /// needs a box. Throws ConfigError for windows whose weights vary: what is claimed of the noise would not
    /// hold while they are short.
    OracleWindow(B batch, Index dimension, WindowWeights weights, AnyOracle oracle,
                 const EstimatorOptions& options, std::uint64_t seed)
        : batch_(std::move(batch)),
          window_(std::move(weights)),
          oracle_(std::move(oracle)),
          options_(options),
          // A sequence of its own: other draws of the run name their places with the same few numbers.
          seed_(seed ^ 0x6f7261636c65ULL),
          current_(dimension, options_.kind == EstimatorOptions::Kind::paper ? window_.length() : 0),
          before_(current_),
          trial_(current_) {
        if (window_.varies()) {
            throw ConfigError("window " + window_.text() +
                              ": its weights change from round to round, and its noise with them");
        }
        window_.at(1, weights_);
    }

    /// Round t begins at x: gradient() becomes its first estimate. False: it is not finite, and the round has
    /// to be taken back.
    bool begin_round(ConstView x, Scratch& scratch) {
        ++round_;
        pass_ = 0;
        if (options_.kind == EstimatorOptions::Kind::paper) {
            before_ = current_;
            enter_newest(x, scratch);
        } else {
            redraw_at(x, scratch);
            accept_trial();
        }
        return all_finite(current_.gradient);
    }
    void rollback() {
        --round_;
        if (options_.kind == EstimatorOptions::Kind::paper) std::swap(current_, before_);
    }

    /// The next estimate along the way, at y. It becomes gradient() only when accepted.
    void try_at(ConstView y, Scratch& scratch) {
        if (options_.kind != EstimatorOptions::Kind::spider || current_.differences >= options_.restart) {
            redraw_at(y, scratch);
            return;
        }
        oracle_.difference(view(), next_ticket(), options_.samples, y, current_.point, trial_.gradient, cost_,
                           scratch);
        axpy(1, current_.gradient, trial_.gradient);
        copy(y, trial_.point);
        trial_.differences = current_.differences + 1;
    }
    /// An estimate at y that depends on no sample drawn before.
    void redraw_at(ConstView y, Scratch& scratch) {
        if (options_.kind == EstimatorOptions::Kind::paper) {
            ask_all(y, scratch);
        } else {
            oracle_.estimate(view(), next_ticket(), answer_samples(), y, trial_.gradient, cost_, scratch);
            ++cost_.passes;
        }
        copy(y, trial_.point);
        trial_.differences = 0;
    }
    bool trial_finite() const { return all_finite(trial_.gradient); }
    void accept_trial() { std::swap(current_, trial_); }
    ConstView gradient() const noexcept { return current_.gradient; }

    /// s_t: E|e|^2 <= s_t^2 for a fresh estimate of this round's window; nullopt: nobody knows.
    std::optional<Real> level() const { return oracle_.level(live_weights(), answer_samples()); }
    /// The same once the window is full.
    std::optional<Real> full_level() const {
        return oracle_.level(weights_, samples_each(count_records(weights_)));
    }
    const AnyOracle& oracle() const noexcept { return oracle_; }
    const EstimatorOptions& options() const noexcept { return options_; }
    const Cost& cost() const noexcept { return cost_; }

    void serialise(StateArchive& archive) {
        archive.field("round", round_);
        archive.section("records", batch_);
        archive.section("estimate", current_);
        archive.section("estimate before", before_);
    }

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

    std::span<const Real> live_weights() const {
        return std::span(weights_).first(std::min(weights_.size(), batch_.size()));
    }
    OracleView<B> view() const { return {batch_, live_weights()}; }
    Ticket next_ticket() { return {seed_, round_, pass_++}; }

    std::uint64_t answer_samples() const { return samples_each(count_records(live_weights())); }
    std::uint64_t samples_each(std::uint64_t records) const {
        if (options_.kind != EstimatorOptions::Kind::spider) return oracle_.samples();
        const std::uint64_t answers = std::max<std::uint64_t>(records, 1);
        return (options_.batch + answers - 1) / answers;
    }

    View answer_of(Estimate& estimate, Index age) const {
        const Index n = estimate.gradient.size();
        return View(estimate.answers).subspan((round_ - age) % window_.length() * n, n);
    }

    /// Steps 2 and 3 of Algorithm 2: the newest record answers, the one that leaves takes its old answer
    /// along.
    void enter_newest(ConstView x, Scratch& scratch) {
        const View slot = answer_of(current_, 0);
        View change = trial_.gradient;
        const bool leaves = round_ > window_.length();
        copy(slot, trial_.point);
        oracle_.answer(batch_, 0, next_ticket(), oracle_.samples(), x, slot, cost_, scratch);
        if (leaves) {
            subtract(slot, trial_.point, change);
        } else {
            copy(slot, change);
        }
        scaled(weights_.front(), change, change);
        step_along(before_.gradient, 1, change, current_.gradient);
        copy(x, current_.point);
    }
    /// Steps 5(b) and 5(c): every record answers, and the answers are kept.
    void ask_all(ConstView y, Scratch& scratch) {
        const Ticket ticket = next_ticket();
        const std::span<const Real> weights = live_weights();
        fill(trial_.gradient, 0);
        for (Index age = weights.size(); age-- > 0;) {
            const View answer = answer_of(trial_, age);
            oracle_.answer(batch_, age, ticket, oracle_.samples(), y, answer, cost_, scratch);
            axpy(weights[age], answer, trial_.gradient);
        }
        ++cost_.passes;
    }

    B batch_;
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
