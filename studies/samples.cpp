/// The cost of a round in base samples.
#include "run/problem.hpp"
#include "run/synthetic.hpp"
#include "studies/learners.hpp"
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kBaseSamples{"samples", "base samples a round"};
constexpr StudyFigure kCalls{"calls", "calls a round"};  // of the oracle
constexpr StudyFigure kExitGap{"exit", "w times rms exit gap"};

constexpr const char* kAdversary = "alternating";
constexpr const char* kMinibatch = "minibatch";
constexpr const char* kLiteral = "paper's calls";
constexpr const char* kIndependent = "independent";
constexpr const char* kSpider = "spider";

/// On the alternating adversary every round crosses the interval, N_t ~ 2w/eta. The noise of a base sample of
/// one record's gradient is 0.2; the window's estimate may have 0.1/w.
constexpr Real kSamplesDelta = 0.5;
struct AdversaryRow {
    const char* name;
    const char* arguments;  // of the oracle and the inner loop
    Real low, high;         // of the slope of samples against w
    const char* paper = "";
};

/// N_t ~ w updates; an estimate takes w calls of w^2 samples, w calls of w samples, or follows from w^2.
constexpr std::array kAdversaryRows{
    AdversaryRow{kLiteral, ",oracle=(gaussian:0.2,sigma=0.1,calls=paper)", 3.75, 4.25, "3, counted in calls"},
    AdversaryRow{kIndependent, ",oracle=(gaussian:0.2,sigma=0.1)", 2.75, 3.25},
    AdversaryRow{kSpider, ",oracle=(gaussian:0.2,sigma=0.1),inner=spider", 1.7, 2.3},
};

/// Records of 256 rows of a slow drift, and the same exit test rho for all lengths. Fresh estimates draw as
/// many rows as that test needs, spider as many as (G2) does.
constexpr Real kRowTolerance = 0.02;
constexpr Index kRecordRows = 256;

LearnSettings minibatch_settings(Index rows, std::uint64_t seed) {
    LearnSettings settings;
    settings.data = {fmt::format("{}drift,rows={},features=8,active=4,jump=1000000000,period=100000,seed={}",
                                 kBuiltinPrefix, rows, seed)};
    settings.batch = kRecordRows;
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.intercept = false;
    settings.seed = seed;
    settings.max_steps = 100'000;
    settings.step = "0.1";
    settings.smoothness = 5;
    return settings;
}

/// Plays and adds the costs of a round.
template <class Reveal>
void run_costs(AnyLearner& learner, Round rounds, Cell& cell, const Reveal& reveal) {
    Real exits = 0;  // sum of r_t^2
    const Certificate certificate = play(learner, rounds, cell, reveal, [&](const RoundReport& report) {
        exits += report.exit_gap * report.exit_gap;
    });
    const RunTotals& totals = certificate.summary.totals;
    const auto played = static_cast<Real>(rounds);
    cell.add(kBaseSamples, static_cast<Real>(totals.cost.base_samples) / played);
    cell.add(kCalls, static_cast<Real>(totals.cost.oracle_calls) / played);
    cell.add(kSteps, static_cast<Real>(totals.steps) / played);
    cell.add(kExitGap, cell.method().x * std::sqrt(exits / played));
}

StudyStream adversary_stream(const std::vector<Index>& windows) {
    StudyStream stream{
        .name = kAdversary,
        .text = "g = indicator of [-1, 1], f_t = (-1)^t x, w odd, eta = delta = 0.5, sigma = 0.1",
        .x = {"window w", Scale::log2}};
    for (const AdversaryRow& row : kAdversaryRows) {
        for (const Index w : windows) {
            stream.methods.push_back({fmt::format("{} {}", row.name, w),
                                      paper_learner(w, kSamplesDelta, row.arguments), row.name,
                                      static_cast<Real>(w)});
        }
    }
    stream.run = [](Cell& cell) {
        const auto learner = make_learner({.reg = "box:-1,1", .step = 0.5}, cell.method().text, cell.seed);
        run_costs(*learner, 4 * static_cast<Round>(cell.method().x), cell,
                  [](Round t, ConstView) { return line(t % 2 == 0 ? 1 : -1); });
    };
    return stream;
}

StudyStream minibatch_stream(const std::vector<Index>& windows, Index rows) {
    StudyStream stream{
        .name = kMinibatch,
        .text = fmt::format("proxstream compare {} --batch 256 --step 0.1 --smoothness 5 --loss "
                            "cauchy --reg l1:0.01 --no-intercept",
                            minibatch_settings(rows, 1).data.front()),
        .x = {"window w", Scale::log2}};
    for (const char* name : {kIndependent, kSpider}) {
        for (const Index w : windows) {
            stream.methods.push_back(
                {fmt::format("{} {}", name, w),
                 fmt::format("time-smoothed:window={},tolerance={},oracle=minibatch,inner={}", w,
                             kRowTolerance * static_cast<Real>(w), name == kSpider ? name : "prox-grad"),
                 name, static_cast<Real>(w)});
        }
    }
    stream.run = [rows](Cell& cell) {
        const std::string& text = cell.method().text;
        Problem problem(minibatch_settings(rows, cell.seed), cell.stop, {text});
        RowBlock record = problem.stream().make_record();
        run_costs(*problem.make_learner(text), rows / kRecordRows, cell,
                  [&](Round /*t*/, ConstView /*x*/) -> const RowBlock& {
                      problem.stream().next(record);
                      return record;
                  });
    };
    return stream;
}

}  // namespace

StudyPlan plan_samples(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const std::vector<Index> odd =
        full ? std::vector<Index>{9, 17, 33, 65, 129} : std::vector<Index>{9, 17, 33};
    const std::vector<Index> windows = full ? std::vector<Index>{8, 32, 128} : std::vector<Index>{8, 32};
    StudyPlan plan;
    plan.question =
        "What does a round cost in base samples? On the adversary that makes every round cross its interval, "
        "the same test is passed\nwith estimates of deviation sigma/w: by calls that are each as exact as "
        "the "
        "paper's S_{sigma/w}, or by calls whose independent\nnoise averages out over the window; and with "
        "spider, whose fresh estimates may have delta/(sqrt 8 w) by (G2). Losses are lines\nthere, so "
        "spider's differences are exact: its slope is that of the samples (G2) prescribes. Then records of "
        "256 rows on a slow\ndrift, where rounds take many updates: spider against fresh estimates, both for "
        "rho = 0.02. The number after a name is w.";
    plan.figures = {kBaseSamples, kCalls, kSteps, kExitGap};
    plan.streams = {adversary_stream(odd), minibatch_stream(windows, full ? 64'000 : 12'800)};
    plan.charts = {{"samples.svg", "Base samples a round", {"base samples", Scale::log}, {{kBaseSamples}}},
                   {"steps.svg", "Updates a round", {"updates", Scale::log}, {{kSteps}}}};
    for (const AdversaryRow& row : kAdversaryRows)
        plan.expectations.push_back(
            {Measure::slope, kAdversary, row.name, kBaseSamples, row.low, row.high, row.paper});
    plan.expectations.push_back({Measure::slope, kAdversary, kLiteral, kCalls, 1.8, 2.2, "O(w^2)"});
    for (const Index w : windows) {
        const std::string spider = fmt::format("{} {}", kSpider, w);
        const std::string fresh = fmt::format("{} {}", kIndependent, w);
        plan.expectations.push_back({Measure::value, kMinibatch, spider, kBaseSamples, 0, 1, "", fresh});
        plan.expectations.push_back({Measure::value, kMinibatch, spider, kExitGap, 0, 1.05, "", fresh});
    }
    return plan;
}

}  // namespace proxstream
