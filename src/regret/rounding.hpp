/// Bounds on the rounding errors of a row's figures, computed by the referee from magnitudes in the row
/// itself.
///
/// With u the unit roundoff, k = (2^10 + 4 n + 4 w) u and the sizes below, in every row
///   gap-like figures (R, r, B, d / w_a, u_t) are off by at most  k (X L + G + s / eta) + 40 u c G,
///   objectives and value_changes by at most                               k (F + G X) + 40 u c F,
/// and by a = (n + w) 2^-1022 times 1 + L (objectives), or its root times 1 + L (gaps), which underflow
/// takes. X is the largest norm of a point, G that of a gradient of one loss or of the window. F is that of a
/// loss or an objective, s the size of the constants in the regulariser's prox. Each is taken over the rounds
/// whose losses can be in the window. L is the largest of 1/eta, the declared smoothness and 1 over the
/// shortest accepted step of those rounds. c counts the rounds since the window was last evaluated as a
/// whole, because its gradient is carried in between. docs/certificate.md, section Rounding, says where the
/// terms come from.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

namespace proxstream {

class RoundingBounds {
  public:
    explicit RoundingBounds(const RunHeader& header);
    /// Replaces the two rounding bounds of the report by the referee's own.
    void judge(RoundReport& report);
    void serialise(StateArchive& archive);

  private:
    /// Largest sizes, and the distance walked, within a span of rounds.
    struct Sizes {
        Real point = 0;
        Real gradient = 0;
        Real value = 0;
        Real curvature = 0;  // 1 over the shortest accepted step
        Real walked = 0;

        void add(const Sizes& other);
        void serialise(StateArchive& archive);
    };

    Real relative_;       // k
    Real curvature_;      // L by the header alone
    Real prox_;           // s / eta
    bool accepts_steps_;  // whether accepted steps bound the curvature of a round
    bool noisy_;          // whether exact gradients are the referee's
    Round span_;          // rounds of a span: the losses of the window came in the last two spans
    Real underflow_;      // a
    Sizes now_, before_;  // the span that is being filled, and the one before it
    Round filled_ = 0;    // rounds of the first
    Round carried_ = 0;   // c
};

}  // namespace proxstream
