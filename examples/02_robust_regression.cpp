// Sparse regression on rows whose truth drifts and whose noise has heavy tails: Cauchy loss plus L1. The
// window of a linear model is evaluated in one pass over contiguous rows. Ends with the certificate of the
// run.
#include "proxstream/loss/linear_family.hpp"
#include "proxstream/online/time_smoothed.hpp"
#include "proxstream/online/update_rules.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/regret/tally.hpp"
#include "proxstream/run/header_of.hpp"
#include "proxstream/run/synthetic.hpp"
#include "proxstream/solve/backtracking.hpp"
#include "proxstream/window/record_ring.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace proxstream;

namespace {

constexpr Index kFeatures = 20;
constexpr Index kWindow = 64;  // w
constexpr Real kStep = 0.03;   // eta, about 1/L: the squared norm of a row is about 20 and |phi''| <= 1

struct Result {
    Real loss;  // mean of f_t(x_t): every row is judged before it is learned from
    Certificate certificate;
};

/// The same loop for every learner: decide, reveal, account.
Result play(AnyLearner& learner) {
    // Row t of this stream depends on the seed and t alone, so both learners see the same rows.
    SyntheticReader stream(
        {.kind = SyntheticKind::drift, .rows = 3000, .features = kFeatures, .seed = 3, .active = 3});
    Tally tally(header_of(learner.facts(), kFeatures));
    Real loss = 0;
    RowBlock record;
    for (record.clear(); stream.read_row(record); record.clear()) {
        const RoundReport report = learner.observe(record);
        tally.add(report);
        loss += report.loss;
    }
    const RunFooter footer = tally.footer(learner.close(), RunEnding::finished, learner.seconds());
    return {loss / static_cast<Real>(tally.totals().rounds), tally.certificate(footer)};
}

}  // namespace

int main() {
    const LinearFamily family({ScalarFormula::cauchy, 1}, kFeatures, /*intercept=*/false);
    const L1Norm g(0.02);
    const std::vector<Real> start(kFeatures, 0);

    TimeSmoothed smoothed(
        g, make_batch(family, kWindow + 1), start,
        TimeSmoothedOptions{
            .window = kWindow, .step = kStep, .tolerance = Tolerance::fixed(0.8), .budget = {}},
        Backtracking{});
    GradientLearner online(g, make_batch(family, kWindow + 1), start, kWindow, kStep,
                           ScheduledGradient({.step = kStep}));

    const Result window = play(smoothed);
    const Result single = play(online);
    const auto nonzero = std::ranges::count_if(smoothed.decide(), [](Real weight) { return weight != 0; });
    std::printf("progressive loss: window of %zu %.4f, newest loss alone %.4f\n", kWindow, window.loss,
                single.loss);
    std::printf("the window's model has %d non-zero weights of %zu\n\n", static_cast<int>(nonzero),
                kFeatures);
    std::printf("%s", to_text(window.certificate).c_str());
    return window.certificate.sound() && single.certificate.sound() && window.loss < single.loss
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
