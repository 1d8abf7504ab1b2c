/// What the front door adds to a round: OnlineLearner against the learner and the tally it is made of.
#include "proxstream/proxstream.hpp"

#include "online/time_smoothed.hpp"
#include "regret/tally.hpp"
#include "sections.hpp"
#include "solve/inner_table.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace proxstream::bench {
namespace {

constexpr Index kDimension = 10;
constexpr Index kWindow = 50;
constexpr Real kStep = 1;
constexpr Real kTolerance = 0.5;

struct Loss {
    Real phase = 0;
    Real operator()(ConstView x, View gradient) const {
        Real total = 0;
        for (Index i = 0; i < x.size(); ++i) {
            const Real miss = x[i] - 0.02 * std::abs(phase - static_cast<Real>(i));
            gradient[i] = miss;
            total += miss * miss / 2;
        }
        return total;
    }
};

Loss loss_of(Round t) {
    return {5 + 4 * std::sin(0.01 * static_cast<Real>(t))};
}

Real through_the_front(Round rounds) {
    OnlineLearner learner({.dimension = kDimension,
                           .regulariser = Simplex(),
                           .window = kWindow,
                           .step = kStep,
                           .tolerance = kTolerance,
                           .check_gradients = false});
    for (Round t = 1; t <= rounds; ++t) learner.observe(loss_of(t));
    return learner.certificate().summary.regret;
}

Real by_hand(Round rounds) {
    TimeSmoothed learner(Simplex(), FunctionFamily(kDimension),
                         std::vector<Real>(kDimension, 1 / static_cast<Real>(kDimension)),
                         TimeSmoothedOptions{.window = kWindow,
                                             .model = ForecastRule::parse("auto"),
                                             .step = kStep,
                                             .tolerance = Tolerance::fixed(kTolerance),
                                             .budget = {.max_steps = 1000}},
                         parse_inner("auto", 1 / kStep));
    Tally tally(learner.facts());
    for (Round t = 1; t <= rounds; ++t) tally.add(learner.observe(FunctionFamily::Record(loss_of(t))));
    return tally.certificate(tally.footer(learner.close(), RunEnding::finished, learner.seconds()))
        .summary.regret;
}

}  // namespace

void front_rows(Bench& bench) {
    bench.group("front", [&] {
        const Round rounds = bench.size(20'000, 200);
        const Timings timings =
            comparison({once([&] { keep(through_the_front(rounds)); }), once([&] { keep(by_hand(rounds)); })},
                       bench.effort(11));
        const double a_round = 1e9 / static_cast<double>(rounds);
        bench.add({.name = "front.closures",
                   .measured = "OnlineLearner, functions of 10 coordinates, w = 50: what it adds",
                   .against = "TimeSmoothed and Tally",
                   .ratio = timings.ratio(1, 0),
                   .figure = Figure{a_round * (timings.seconds(0).median - timings.seconds(1).median),
                                    "ns a round more"},
                   .wanted = figure_below(100)});
    });
}

}  // namespace proxstream::bench
