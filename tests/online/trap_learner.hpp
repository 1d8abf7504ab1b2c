/// Learners whose every call is counted, on records that can be traps: what the tests of promises beyond a
/// trajectory share.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/learner_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

inline constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

struct Calls {
    std::uint64_t gradients = 0, values = 0, proxes = 0;
};

/// A robust gap loss whose records can also be traps: a target from 101 on says what goes wrong. A trap
/// at "elsewhere" is a steep line at the features' own point and NaN at every other one, so only a solver
/// that moves can find out.
inline constexpr Real kNaNValue = 101, kInfiniteValue = 102, kNaNGradient = 103, kElsewhere = 104;

class TrapFamily {
  public:
    using Record = RowBlock;
    TrapFamily(Index dimension, Calls* calls) : dimension_(dimension), calls_(calls) {}

    Index dimension() const { return dimension_; }
    Real value(const Record& record, ConstView x, Scratch& /*scratch*/) const {
        ++calls_->values;
        std::vector<Real> ignored(dimension_);
        return evaluate(record, x, ignored);
    }
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        ++calls_->gradients;
        return evaluate(record, x, gradient);
    }

  private:
    static Real evaluate(const Record& record, ConstView x, View gradient) {
        const Real target = record.target(0);
        const ConstView a = record.values(0);
        if (target == kElsewhere) {
            const bool here = std::equal(x.begin(), x.end(), a.begin());
            std::fill(gradient.begin(), gradient.end(), 100);
            return here ? 1 : kNaN;
        }
        Real gap = -target;
        for (Index i = 0; i < x.size(); ++i) gap += a[i] * x[i];
        const Real slope = gap / (1 + gap * gap);
        for (Index i = 0; i < x.size(); ++i) gradient[i] = slope * a[i];
        if (target == kNaNValue) return kNaN;
        if (target == kInfiniteValue) return kInfinity;
        if (target == kNaNGradient) gradient[0] = kNaN;
        return std::log1p(gap * gap) / 2;
    }

    Index dimension_;
    Calls* calls_;
};

/// Forwards to a regulariser and counts its proxes.
struct CountingRegulariser {
    AnyRegulariser g;
    Calls* calls;
    Real value(ConstView x, Scratch& scratch) const { return g.value(x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        ++calls->proxes;
        return g.prox(v, step, out, scratch);
    }
    bool can_switch() const { return supports_switching(g); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        ++calls->proxes;
        return proxstream::switching_prox(g, v, step, pull, out, scratch);
    }
    bool can_weigh() const { return supports_weighted_prox(g); }
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
        ++calls->proxes;
        return proxstream::weighted_prox(g, v, steps, out, scratch);
    }
};

struct Configuration {
    Index dimension = 4;
    Index window = 5;
    Real step = 0.4;
    std::string regulariser = "l1:0.01";
    std::string inner = "prox-grad";
    Tolerance tolerance = Tolerance::fixed(0.05);
    Budget budget = {};
    std::vector<Real> start = {};  // zeros if empty
};

inline std::unique_ptr<AnyLearner> make(const std::string& learner, const Configuration& setup,
                                        Calls* calls) {
    return make_learner(
        learner, {.g = AnyRegulariser(CountingRegulariser{parse_regulariser(setup.regulariser), calls}),
                  .make_batch =
                      [dimension = setup.dimension, calls](Index capacity) {
                          return AnyBatch(RecordRing(TrapFamily(dimension, calls), capacity));
                      },
                  .start = setup.start.empty() ? std::vector<Real>(setup.dimension) : setup.start,
                  .window = std::to_string(setup.window),
                  .linear = LinearModel{{ScalarFormula::cauchy, 1}, setup.dimension, false},
                  .last_value = 0,
                  .step = setup.step,
                  .smoothness = 1,
                  .tolerance = setup.tolerance,
                  .budget = setup.budget,
                  .inner = setup.inner});
}

inline RowBlock honest(Index dimension, std::uint64_t seed, Round t) {
    std::vector<Real> a(dimension);
    Real score = 0;
    for (Index i = 0; i < dimension; ++i) {
        a[i] =
            normal({seed, t, static_cast<std::uint32_t>(i), 0, 0}) / std::sqrt(static_cast<Real>(dimension));
        score += a[i] * std::cos(0.03 * static_cast<Real>(t) + static_cast<Real>(i));
    }
    RowBlock record;
    record.add_dense(a, score + 0.05 * normal({seed, t, 0, 1, 0}));
    return record;
}

inline RowBlock trap(ConstView point, Real kind) {
    RowBlock record;
    record.add_dense(point, kind);
    return record;
}

}  // namespace proxstream
