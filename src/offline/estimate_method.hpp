/// Base of all methods that step along estimates of the gradient: x <- (1 - gamma) x + gamma prox(x - eta v),
/// with the handling of numbers that are not finite.
#pragma once

#include "offline/argument_reader.hpp"
#include "offline/estimators.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace proxstream {

/// One step.
struct Movement {
    Real step = 0;       // eta
    Real share = 1;      // gamma: share of the way to the prox point
    Real prox_step = 0;  // of g; 0: the same as f's
};

/// A step that shrinks with the passes made.
class PassSchedule {
  public:
    enum class Decay : std::uint8_t { constant, sqrt, inverse, epoch };

    PassSchedule() = default;
    PassSchedule(Decay kind, Real step, Real decay) : kind_(kind), step_(step), decay_(decay) {}

    bool constant() const noexcept { return kind_ == Decay::constant; }
    Real at(Real passes) const;
    Real step() const noexcept { return step_; }  // eta_0

  private:
    Decay kind_ = Decay::constant;
    Real step_ = 0;
    Real decay_ = 0;  // a pass
};

/// `step=`, `schedule=constant|sqrt|inverse|epoch`, `decay=`; `step` is the default, from `source`.
PassSchedule read_schedule(ArgumentReader& arguments, Real step, std::string_view source);

/// Passes behind an iteration, counted from 0, of a method that takes a batch in each.
Real passes_of(std::uint64_t iteration, Index batch, const SampledLoss& loss);

class EstimateMethod : public OfflineMethod {
  public:
    StepStatus advance(Cost& cost) final;
    ConstView point() const final { return point_; }
    Real step() const final { return next_move().step; }
    std::uint64_t largest_batch() const final { return largest_batch_; }
    std::vector<MethodParameter> parameters() const final { return parameters_; }
    void serialise(StateArchive& archive) final;

  protected:
    /// Call it after all arguments are read.
    explicit EstimateMethod(const ArgumentReader& arguments);

    /// The direction v at point(); empty if it is not finite.
    virtual ConstView find_estimate(Cost& cost) = 0;
    /// The move of the coming iteration; after find_estimate() of this one.
    virtual Movement next_move() const = 0;
    virtual void serialise_rest(StateArchive& archive) = 0;

    const OfflineProblem& problem() const { return problem_; }
    std::uint64_t iteration() const { return iteration_; }  // from 0
    ConstView previous() const { return previous_; }        // the point before; the start at first
    Scratch& scratch() { return scratch_; }

    /// `count` samples for a step; the empty batch, f itself, if a sum has no more.
    Batch draw(SampleDraws& draws, Index count) const {
        const std::uint64_t n = problem_.loss->components();
        return n > 0 && count >= n ? Batch{} : draws.draw(count);
    }

  private:
    const OfflineProblem& problem_;
    std::vector<Real> point_, previous_, trial_;
    std::uint64_t iteration_ = 0;
    Cost setup_cost_;
    std::uint64_t largest_batch_;
    std::vector<MethodParameter> parameters_;
    Scratch scratch_;
};

/// The batch B at the start of an epoch.
struct AnchorBatch {
    std::uint64_t samples = 1;
    bool whole = false;  // all of the sum: f itself
    Real sigma0 = 0;     // of an expectation, where B follows from it
};

/// `anchor=`. Default: a whole sum; of an expectation factor sigma_0^2 / epsilon^2 samples by `theorem`, or a
/// constant without an epsilon.
AnchorBatch read_anchor(ArgumentReader& arguments, Real factor, std::string_view theorem);

/// The parameters of a method: an epoch starts with an estimate from a large batch, which small batches then
/// correct. The methods of the literature differ only in these parameters.
struct EpochPlan {
    enum class Correction : std::uint8_t {
        recursive,  // follows from the previous estimate: SARAH, SPIDER, STORM
        hybrid,     // the same, mixed with a second batch
        anchored,   // corrects the estimate of the last large batch: SVRG
    };

    AnchorBatch anchor = {};  // B
    Index epoch = 1;          // q, iterations from one large batch to the next; 0: only the first is large
    Index batch = 1;          // b, of the iterations in between
    bool distinct = false;    // samples of a batch without repetition
    Correction correction = Correction::recursive;
    Real recursive_share = 1;                                    // of a hybrid
    std::function<Real(std::uint64_t iteration)> keep = {};      // of the estimate before; empty: all of it
    Movement move = {};                                          // of every iteration
    std::function<Movement(std::uint64_t iteration)> vary = {};  // if they differ; counted from 0
    std::optional<MethodPromise> promise = {};
};

std::unique_ptr<OfflineMethod> make_epoch_method(const ArgumentReader& arguments, EpochPlan plan);

}  // namespace proxstream
