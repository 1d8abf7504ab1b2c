/// Base samples until a point is stationary enough, for offline methods.
#include "core/find_row.hpp"
#include "studies/plans.hpp"
#include "studies/ramp_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kEpsSamples{"samples", "base samples"};
constexpr StudyFigure kEpsCalls{"calls", "calls"};
constexpr StudyFigure kIterations{"steps", "iterations"};
constexpr StudyFigure kEach{"samples_a_step", "base samples an iteration"};
constexpr StudyFigure kRatio{"ratio", "|P|^2 / eps at the end"};
constexpr StudyFigure kOverSelected{"over_selected", "the same over (D-sg)"};

constexpr const char* kPrescribed = "parameters from eps";
constexpr const char* kTuned = "tuned batches";
constexpr const char* kLiteralReduction = "reduction, literal";
constexpr const char* kIndependentReduction = "reduction, independent";

/// K ~ eps^-kappa along the ramp, (2 + p)/(2 + 2p) with its power p = 0.05.
constexpr Real kKappa = 0.976;

struct EpsRow {
    const char* name;
    const char* text;  // sigma_0 is given, so that no samples are spent to measure it
    Real steps;        // exponents of 1/eps: of iterations
    Real samples;      // and of samples
    bool reduction = false;
    bool dear = false;  // too many samples for the least eps
};

constexpr std::array kEpsRows{
    EpsRow{"prox-sgd", "prox-sgd:sigma0=1", kKappa, kKappa + 1},
    EpsRow{kLiteralReduction, "reduction:parameters=corrected,sigma0=1,sigma=0.1,answers=literal", kKappa,
           kKappa + 1.5, true, true},
    EpsRow{kIndependentReduction, "reduction:parameters=corrected,sigma0=1,sigma=0.1,answers=independent",
           kKappa, kKappa + 1, true},
    EpsRow{"spiderboost", "spiderboost:sigma0=1", kKappa, kKappa + 0.5},
    EpsRow{"sarah", "sarah:sigma0=1", kKappa, kKappa + 0.5},
    EpsRow{"storm", "storm:batch=1", 1.5 * kKappa, 1.5 * kKappa},
};

std::string eps_name(const std::string& method, Index value) {
    return fmt::format("{}, eps = 1/{}", method, value);
}

/// The bound (D-sg) on |P|^2/eps after so many tests of estimates with unbounded noise, which may pass by
/// chance. With eta = 1/L the test is 0.8 sqrt(eps) and the deviation of an estimate 0.2 sqrt(eps), over the
/// root of w where its w answers are that exact each. Samples' noise is sqrt(2) sigma_0 cos(theta) along a
/// line, which is sub-Gaussian with its own variance.
Real selected_square(Real tests, Real copies) {
    return std::pow(0.8 + 0.2 * std::sqrt(2 * (1 + std::log(2 * (1 + tests))) / copies), 2);
}

void add_count(const std::string& method, const std::optional<SampleCount>& count, Cell& cell) {
    if (!count && !cell.interrupted) cell.notes.push_back(method + ": did not get there");
    if (!count) return;
    cell.add(method, kEpsSamples, count->samples);
    cell.add(method, kEpsCalls, count->calls);
    cell.add(method, kIterations, count->steps);
    cell.add(method, kEach, count->samples / count->steps);
    cell.add(method, kRatio, count->ratio);
}

void run_prescribed(Cell& cell) {
    const Method& method = cell.method();
    const EpsRow& row = find_row(kEpsRows, "method", method.line);
    const auto count = count_on_ramp("", {row.text, 1 / method.x, row.reduction}, cell);
    add_count(method.name, count, cell);
    const Real window = 0.5 * std::sqrt(method.x);  // 5 sigma/sqrt(eps), sigma = 0.1
    if (count && row.reduction)
        cell.add(kOverSelected, count->ratio / selected_square(count->steps, row.dear ? window : 1));
}

/// Methods whose batch follows from eps in theory.
struct TunedRow {
    const char* name;
    std::string (*text)(Index batch);
    Real samples;            // exponent of 1/eps
    bool one_batch = false;  // no tuning
};

Index root(Index value) {
    return std::max<Index>(1, static_cast<Index>(std::lround(std::sqrt(static_cast<Real>(value)))));
}

constexpr std::array kTunedRows{
    TunedRow{"prox-sgd", [](Index batch) { return fmt::format("prox-sgd:batch={}", batch); }, kKappa + 1},
    TunedRow{"spiderboost",
             [](Index batch) {
                 return fmt::format("spiderboost:anchor={0},batch={1},epoch={1}", batch,
                                    root((batch + 1) / 2));
             },
             kKappa + 0.5},
    TunedRow{"sarah",
             [](Index batch) {
                 return fmt::format("sarah:anchor={},batch={},epoch={}", batch, root(batch), root(batch) + 1);
             },
             kKappa + 0.5},
    TunedRow{"storm", [](Index batch) { return fmt::format("storm:batch={}", batch); }, 1.5 * kKappa, true},
};

/// Doubles the batch until no level improves.
void run_tuned(const TunedRow& row, LevelTarget target, Cell& cell) {
    constexpr Index kDoublings = 20;
    if (!row.one_batch) target.most_steps = 8 / target.levels.back();
    std::vector<std::optional<SampleCount>> best(target.levels.size());
    bool gained = true;
    for (Index doubling = 0; gained && doubling < (row.one_batch ? 1 : kDoublings); ++doubling) {
        target.method = row.text(Index{1} << doubling);
        if (best.back()) target.most_samples = best.back()->samples;
        const auto counts = count_levels(target, cell);
        if (cell.interrupted) return;
        gained = !best.back();
        for (Index i = 0; i < best.size(); ++i) {
            if (!counts[i] || (best[i] && counts[i]->samples >= best[i]->samples)) continue;
            best[i] = counts[i];
            gained = true;
        }
        cell.share(static_cast<Real>(doubling + 1), kDoublings);
    }
    for (Index i = 0; i < best.size(); ++i)
        add_count(eps_name(row.name, static_cast<Index>(std::lround(1 / target.levels[i]))), best[i], cell);
}

StudyStream tuned_stream(const std::vector<Index>& values, Index runs) {
    StudyStream stream{.name = kTuned,
                       .text =
                           "prox-sgd: batch B; spiderboost: anchor B, batch = epoch = sqrt(B/2); sarah: "
                           "anchor B, batch sqrt B, epoch sqrt B + 1; B = 1, 2, 4, ...; storm: batch 1",
                       .x = {"1/eps", Scale::log2},
                       .together = true};
    LevelTarget target{.method = "", .levels = {}, .runs = runs};
    for (const Index value : values) target.levels.push_back(1 / static_cast<Real>(value));
    for (const TunedRow& row : kTunedRows) {
        for (const Index value : values)
            stream.methods.push_back({eps_name(row.name, value), "", row.name, static_cast<Real>(value)});
    }
    stream.run = [target](Cell& cell) {
        for (const TunedRow& row : kTunedRows) run_tuned(row, target, cell);
    };
    return stream;
}

/// An exponent of 1/eps and how far from it a slope may be.
struct Rate {
    Real exponent;
    Real room;
};

void expect_rate(const char* stream, const char* method, const std::string& figure, const Rate& rate,
                 StudyPlan& plan, const char* paper = "") {
    plan.expectations.push_back({Measure::slope, stream, method, figure, rate.exponent - rate.room,
                                 rate.exponent + rate.room, paper});
}

void add_prescribed(const std::vector<Index>& values, Index dear, StudyPlan& plan) {
    for (const EpsRow& row : kEpsRows) {
        // A fit ends at a measured gap of epsilon; the reduction ends by its own test.
        const std::string text = fmt::format("proxstream fit sampler:ramp --method {}{} --measure 0.001",
                                             row.text, row.reduction ? ",w=4,delta=0.4" : " --epsilon 0.125");
        Index last = 0;
        for (const Index value : values) {
            if (row.dear && value > dear) continue;
            last = value;
            plan.streams.front().methods.push_back(
                {eps_name(row.name, value), value == 64 ? text : "", row.name, static_cast<Real>(value)});
        }
        // The compared rates differ by 0.5. First steps off the ramp and rounded counts change a slope by up
        // to 0.1. So does a test that passes by chance, which is more likely with more tests.
        const Real room = row.reduction ? 0.2 : 0.12;
        expect_rate(kPrescribed, row.name, kEpsSamples, {row.samples, room}, plan,
                    row.reduction ? "1.5, counted in calls" : "");
        expect_rate(kPrescribed, row.name, kIterations, {row.steps, room}, plan);
        if (!row.reduction) continue;
        expect_rate(kPrescribed, row.name, kEpsCalls, {kKappa + 0.5, room}, plan,
                    "1.5, matching variance reduction");
        plan.expectations.push_back(
            {Measure::value, kPrescribed, eps_name(row.name, last), kOverSelected, 0, 1});
    }
}

}  // namespace

StudyPlan plan_sample_complexity(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    // Powers of four, so that w = 0.5/sqrt(eps) is whole.
    const std::vector<Index> values =
        full ? std::vector<Index>{16, 64, 256, 1024, 4096} : std::vector<Index>{16, 64, 256};
    const Index dear = full ? 1024 : 256;
    const std::vector<Index> tuned =
        full ? std::vector<Index>{64, 256, 1024, 4096} : std::vector<Index>{256, 1024};
    StudyPlan plan;
    plan.question =
        "How many base samples until |P|^2 <= eps? On the ramp, a slope so flat that every method needs "
        "about 1/eps steps, beside a well\nin which noise keeps the point moving. f is known there in closed "
        "form and measures every point; methods see samples only. First\nwith parameters that theory sets "
        "from eps, to the first point that is stationary enough, or for the reduction to the end of its\nown "
        "test. Then with the batch that does best in hindsight, to where a random index among the later half "
        "of the points is\nstationary enough, in the mean over a few runs.";
    plan.subtitle = "ramp, sigma_0 = 1, L = 1; tuned: in hindsight, to a mean over the later half";
    plan.figures = {kEpsSamples, kEpsCalls, kIterations, kEach, kRatio, kOverSelected};
    plan.streams = {{.name = kPrescribed,
                     .text = "sampler:ramp, sigma_0 = 1",
                     .x = {"1/eps", Scale::log2},
                     .run = run_prescribed},
                    tuned_stream(tuned, full ? 8 : 2)};
    add_prescribed(values, dear, plan);
    // Best batches are powers of two, chosen by means of few runs.
    for (const TunedRow& row : kTunedRows)
        expect_rate(kTuned, row.name, kEpsSamples, {row.samples, 0.25}, plan);
    const auto over = [&](const char* stream, const char* method, const char* below, Index value,
                          const std::pair<Real, Real>& range) {
        plan.expectations.push_back({Measure::value, stream, eps_name(method, value), kEpsSamples,
                                     range.first, range.second, "", eps_name(below, value)});
    };
    over(kPrescribed, kIndependentReduction, "prox-sgd", values.back(), {0.5, 5});
    over(kPrescribed, kLiteralReduction, "spiderboost", dear, {50, kInfinity});
    over(kTuned, "spiderboost", "prox-sgd", tuned.back(), {0, 0.7});
    plan.charts = {
        {"samples.svg", "Base samples to |P|^2 <= eps", {"base samples", Scale::log}, {{kEpsSamples}}},
        {"calls.svg", "Calls to |P|^2 <= eps", {"calls", Scale::log}, {{kEpsCalls}}},
        {"steps.svg", "Iterations to |P|^2 <= eps", {"iterations", Scale::log}, {{kIterations}}}};
    return plan;
}

}  // namespace proxstream
