/// Update rules for linear models of rows, f_t(x) = mean of phi(a.x; y): they use the features themselves,
/// not only the gradient. Each keeps one generation of its state, so that a refused round can be rolled back.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include "loss/linear_model.hpp"

#include <vector>

namespace proxstream {

/// Recursive least squares with forgetting: the best linear model so far in the squared loss, at n^2
/// operations a row. Other losses of y - a.x are weighted row by row; losses of the margin take an implicit
/// step, which cannot overshoot. The prox of g follows in the Euclidean metric, with the mean step over the
/// coordinates.
class RecursiveLeastSquares {
  public:
    /// `memory`: rounds after which a record counts 1/e; infinite: every record counts the same.
    RecursiveLeastSquares(const LinearModel& model, Real memory);

    template <class M>
    void move(M& move) {
        move.jump_to(learn(move.newest_record.template as<RowBlock>(), move.point()), mean_step());
    }
    void rollback() { now_.swap(before_); }
    void serialise(StateArchive& archive);

    /// Whether the rule is defined for this loss: one of y - a.x or of the margin y (a.x).
    static bool fits(const LinearModel& model);

  private:
    ConstView learn(const RowBlock& record, ConstView point);
    void learn_row(Real target, Real share, Real kept);
    /// Where the implicit step ends: s' = s - reach phi'(s').
    Real implicit_score(Real score, Real target, Real reach) const;
    Real mean_step() const;
    void forget_everything();

    LinearModel model_;
    Index n_;
    Real kept_;                       // lambda: what is kept of past records in a round
    std::vector<Real> now_, before_;  // P, row by row
    std::vector<Real> row_, gain_, point_;
};

/// Coin betting (the method of Vowpal Wabbit's --coin): a bet on every coordinate, with what was won so far.
/// It has no learning rate.
class CoinBetting {
  public:
    explicit CoinBetting(const LinearModel& model);

    template <class M>
    void move(M& move) {
        const ConstView target = learn(move.newest_record.template as<RowBlock>(), move.point());
        move.jump_to(target, prox_step_);
    }
    void rollback();
    void serialise(StateArchive& archive);

  private:
    struct Bets {
        std::vector<Real> wealth, theta, gradients, largest_value, largest_slope;
        Real norms = 0;  // sum over rows of sum (a_i / largest |a_i|)^2
        Real rows = 0;

        void serialise(StateArchive& archive);
    };

    ConstView learn(const RowBlock& record, ConstView point);
    Real bet(Index i) const;  // what a unit of theta is worth

    LinearModel model_;
    Bets now_, before_;
    std::vector<Real> row_, point_;
    Real prox_step_ = 0;
};

/// Never moves.
struct FixedPoint {
    static constexpr bool kFixed = true;

    template <class M>
    void move(M& /*move*/) {}
    void rollback() {}
    void serialise(StateArchive& /*checkpoint*/) {}
};

}  // namespace proxstream
