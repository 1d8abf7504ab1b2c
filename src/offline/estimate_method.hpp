/// What all methods that step along estimates of the gradient share: x <- (1 - gamma) x + gamma prox(x - eta
/// v), and what happens where a number is not finite.
#pragma once

#include "offline/argument_reader.hpp"
#include "offline/estimators.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// One step.
struct Movement {
    Real step = 0;       // eta
    Real share = 1;      // gamma: how much of the way is gone
    Real prox_step = 0;  // of g; 0: the same as f's
};

class EstimateMethod : public OfflineMethod {
  public:
    StepStatus advance(Cost& cost) final;
    ConstView point() const final { return point_; }
    Real step() const final { return next_move().step; }
    std::uint64_t largest_batch() const final { return largest_batch_; }
    std::vector<MethodParameter> parameters() const final { return parameters_; }
    void serialise(StateArchive& archive) final;

  protected:
    /// To be called when all arguments are read.
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

    /// `count` samples to step with; all of a sum that has no more: f itself.
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

/// The batch B that an epoch begins with.
struct AnchorBatch {
    std::uint64_t samples = 1;
    bool whole = false;  // all of the sum: f itself
    Real sigma0 = 0;     // of an expectation, where B follows from it
};

/// `anchor=`: of a sum all of it; of an expectation factor sigma_0^2 / epsilon^2 samples where an epsilon is
/// wanted, as `theorem` has it, and else a constant.
AnchorBatch read_anchor(ArgumentReader& arguments, Real factor, std::string_view theorem);

/// A method by its parameters: an estimate from a large batch every so often, and in between estimates from
/// small ones that correct it. The methods of the literature differ in these numbers only.
struct EpochPlan {
    enum class Correction : std::uint8_t {
        recursive,  // the estimate before, carried on: SARAH, SPIDER, STORM
        hybrid,     // the same, mixed with a second batch
        anchored,   // that of the last large batch: SVRG
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
