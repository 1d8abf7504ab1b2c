// A loss family of your own: one formula, and a record that differs from round to round. Here a record is a
// range measurement, "from this beacon the vehicle is about this far away", and x is where we believe the
// vehicle to be. A family needs a Record, dimension(), value() and value_and_gradient(). It may bring a batch
// for speed; this one does not, and is kept in the plain ring.
#include "proxstream/core/draw.hpp"
#include "proxstream/loss/loss_family.hpp"
#include "proxstream/prox/balls.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/time_smoothed.hpp"
#include "solve/backtracking.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace proxstream;

namespace {

struct RangeFamily {
    struct Record {
        Real x = 0, y = 0;  // the beacon
        Real range = 0;
    };

    Index dimension() const { return 2; }
    /// f(p) = (|p - beacon|^2 - range^2)^2 / 4: zero on a whole circle, so one record says little, and not
    /// convex.
    Real value(const Record& record, ConstView p, Scratch& /*scratch*/) const {
        const Real excess = error(record, p);
        return excess * excess / 4;
    }
    Real value_and_gradient(const Record& record, ConstView p, View gradient, Scratch& scratch) const {
        const Real excess = error(record, p);
        gradient[0] = excess * (p[0] - record.x);
        gradient[1] = excess * (p[1] - record.y);
        return value(record, p, scratch);
    }

  private:
    static Real error(const Record& record, ConstView p) {
        const Real dx = p[0] - record.x;
        const Real dy = p[1] - record.y;
        return dx * dx + dy * dy - record.range * record.range;
    }
};
static_assert(LossFamily<RangeFamily> && !BatchedFamily<RangeFamily>);

/// The mean distance between where we believed the vehicle and where it was, over the second half of the
/// drive.
Real mean_miss(Index window) {
    // No step 1/L can be named for a quartic: backtracking finds its own. eta only scales the residuals.
    TimeSmoothed learner(L2Ball(3), make_batch(RangeFamily{}, window + 1), std::vector<Real>{0.1, 0.1},
                         TimeSmoothedOptions{.window = window,
                                             .step = 0.05,
                                             .tolerance = Tolerance::automatic(),
                                             .budget = {.max_steps = 200}},
                         Backtracking{});
    constexpr Round kRounds = 2000, kJudged = 1000;
    Real miss = 0;
    for (Round t = 1; t <= kRounds; ++t) {
        const Real angle = 0.002 * static_cast<Real>(t);
        const Real vehicle[2] = {std::cos(angle), std::sin(angle)};
        if (t > kRounds - kJudged) {
            const ConstView belief = learner.decide();
            miss += std::hypot(belief[0] - vehicle[0], belief[1] - vehicle[1]);
        }
        const Real direction = 2.4 * static_cast<Real>(t);  // beacons all around, one a round
        RangeFamily::Record record{.x = 2 * std::cos(direction), .y = 2 * std::sin(direction)};
        record.range =
            std::hypot(vehicle[0] - record.x, vehicle[1] - record.y) + 0.1 * normal({.seed = 1, .round = t});
        learner.observe(record);
    }
    return miss / kJudged;
}

}  // namespace

int main() {
    const Real one = mean_miss(1);
    const Real twelve = mean_miss(12);
    std::printf("mean miss: %.3f with a window of 1, %.3f with a window of 12\n", one, twelve);
    return twelve < one && twelve < 0.15 ? EXIT_SUCCESS : EXIT_FAILURE;
}
