/// What all methods that step along estimates share: x <- (1 - gamma) x + gamma prox(x - eta v), and what
/// happens where a number is not finite.
#pragma once

#include "offline/argument_reader.hpp"
#include "offline/estimators.hpp"

#include <string>
#include <vector>

namespace proxstream {

class EstimateMethod : public OfflineMethod {
  public:
    StepStatus advance(Cost& cost) final;
    ConstView point() const final { return point_; }
    Real step() const final { return next_move().step; }
    std::uint64_t largest_batch() const final { return largest_batch_; }
    std::vector<MethodParameter> parameters() const final { return parameters_; }
    void exchange(Checkpoint& checkpoint) final;

  protected:
    struct Move {
        Real step = 0;       // eta
        Real share = 1;      // gamma: how much of the way is gone
        Real prox_step = 0;  // of g; 0: the same as f's
    };

    /// To be called when all arguments are read.
    explicit EstimateMethod(const ArgumentReader& arguments);

    /// The direction v at point(); empty: it is not finite.
    virtual ConstView find_estimate(Cost& cost) = 0;
    /// Of the coming iteration; with find_estimate() behind it, of this one.
    virtual Move next_move() const = 0;
    virtual void exchange_rest(Checkpoint& checkpoint) = 0;

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
    std::uint64_t samples = 0;
    bool whole = false;  // all of the sum: f itself
    Real sigma0 = 0;     // of an expectation, where B follows from it

    template <class Estimator>
    [[nodiscard]] bool begin(Estimator& estimator, SampleDraws& draws, ConstView x, Cost& cost) const {
        return whole ? estimator.begin(Batch{}, x, cost) : estimator.begin(draws, samples, x, cost);
    }
};

/// `anchor=`: of a sum all of it; of an expectation factor sigma_0^2 / epsilon^2 samples where an epsilon is
/// wanted, as `theorem` has it, and else a constant.
AnchorBatch read_anchor(ArgumentReader& arguments, Real factor, std::string_view theorem);

}  // namespace proxstream
