// Your own loss family: one formula, and a record that differs from round to round. Here a record is a
// measured distance from a beacon to a vehicle, and x is the estimated position of the vehicle. Records with
// a serialise function can be saved, so another learner can continue the run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <proxstream/proxstream.hpp>

namespace ps = proxstream;

namespace {

struct RangeFamily {
    struct Record {
        double x = 0, y = 0;  // the beacon
        double range = 0;

        void serialise(ps::StateArchive& archive) {
            archive.field("x", x);
            archive.field("y", y);
            archive.field("range", range);
        }
    };

    ps::Index dimension() const { return 2; }
    /// f(p) = (|p - beacon|^2 - range^2)^2 / 4 is zero on a circle and not convex. One record does not
    /// determine the position.
    double value(const Record& record, ps::ConstView p, ps::Scratch& /*scratch*/) const {
        const double excess = error(record, p);
        return excess * excess / 4;
    }
    double value_and_gradient(const Record& record, ps::ConstView p, ps::View gradient,
                              ps::Scratch& scratch) const {
        const double excess = error(record, p);
        gradient[0] = excess * (p[0] - record.x);
        gradient[1] = excess * (p[1] - record.y);
        return value(record, p, scratch);
    }

  private:
    static double error(const Record& record, ps::ConstView p) {
        const double dx = p[0] - record.x;
        const double dy = p[1] - record.y;
        return dx * dx + dy * dy - record.range * record.range;
    }
};

constexpr int kRounds = 2000, kJudged = 1000;

/// The mean distance between estimated and true position over the second half of the drive. Halfway the
/// learner is saved, and another one continues.
double mean_miss(ps::Index window) {
    const ps::OnlineOptions options{
        .regulariser = ps::L2Ball(3), .start = {0.1, 0.1}, .window = window, .max_steps = 200};
    ps::OnlineLearner learner(options, RangeFamily{});
    double miss = 0;
    for (int t = 1; t <= kRounds; ++t) {
        const double angle = 0.002 * t;
        const double vehicle[2] = {std::cos(angle), std::sin(angle)};
        if (t > kRounds - kJudged) {
            const ps::ConstView belief = learner.decision();
            miss += std::hypot(belief[0] - vehicle[0], belief[1] - vehicle[1]);
        }
        const double direction = 2.4 * t;  // beacons all around, one a round
        RangeFamily::Record record{.x = 2 * std::cos(direction), .y = 2 * std::sin(direction)};
        record.range = std::hypot(vehicle[0] - record.x, vehicle[1] - record.y) +
                       0.1 * normal(ps::Draw{.seed = 1, .round = static_cast<ps::Round>(t)});
        learner.observe(record);
        if (t == kRounds / 2) {
            const std::string state = learner.save();
            learner = ps::OnlineLearner(options, RangeFamily{});
            learner.restore(state);
        }
    }
    return miss / kJudged;
}

}  // namespace

int main() {
    const double one = mean_miss(1);
    const double twelve = mean_miss(12);
    std::printf("mean miss: %.3f with a window of 1, %.3f with a window of 12\n", one, twelve);
    return twelve < one && twelve < 0.15 ? EXIT_SUCCESS : EXIT_FAILURE;
}
