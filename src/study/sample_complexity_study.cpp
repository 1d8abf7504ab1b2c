#include "study/plans.hpp"
#include "study/ramp_counts.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kEpsSamples = "samples";
constexpr const char* kEpsCalls = "calls";
constexpr const char* kIterations = "steps";
constexpr const char* kEach = "samples_a_step";
constexpr const char* kRatio = "ratio";  // |P|^2 / eps at the end

constexpr const char* kPrescribed = "parameters from eps";
constexpr const char* kTuned = "tuned batches";

/// K ~ eps^-kappa along the ramp, (2 + p)/(2 + 2p) with its power p = 0.05.
constexpr Real kKappa = 0.976;
/// Rates to be told apart differ by 0.5. The first steps, which do not lie on the ramp yet, and counts that
/// are rounded move a slope by up to 0.1. So does a test that stops at estimates that look better than they
/// are: the more tests, the earlier. Best batches are powers of two, chosen by means of few runs.
constexpr Real kRoom = 0.12;
constexpr Real kWideRoom = 0.2;
constexpr Real kTunedRoom = 0.25;

constexpr Real kMostSamples = 3e9;

/// Of the paper's oracle, as in the texts below. The window w = 5 sigma/sqrt(eps), and with it the calls, are
/// in proportion to it; so are literal samples, while independent ones do not depend on it.
constexpr Real kEpsSigma = 0.1;

struct PrescribedRow {
    std::string_view name;
    std::string_view text;  // sigma_0 is known: nothing is spent to measure it
    RunEnd end;
    Real steps;    // exponents of eps: of iterations
    Real samples;  // and of samples
    std::string_view rate;
    bool dear = false;  // too many samples for the least eps
};

constexpr std::string_view kSgd = "prox-sgd";
constexpr std::string_view kLiteralReduction = "reduction, literal";
constexpr std::string_view kIndependentReduction = "reduction, independent";
constexpr std::string_view kSpiderBoost = "spiderboost";
constexpr std::string_view kSarah = "sarah";
constexpr std::string_view kStorm = "storm";

constexpr std::array kPrescribedMethods{
    PrescribedRow{kSgd, "prox-sgd:sigma0=1", RunEnd::first_passage, kKappa, kKappa + 1, "eps^-2"},
    PrescribedRow{kLiteralReduction, "reduction:parameters=corrected,sigma0=1,sigma=0.1,answers=literal",
                  RunEnd::own_test, kKappa, kKappa + 1.5, "eps^-5/2", true},
    PrescribedRow{kIndependentReduction,
                  "reduction:parameters=corrected,sigma0=1,sigma=0.1,answers=independent", RunEnd::own_test,
                  kKappa, kKappa + 1, "eps^-2"},
    PrescribedRow{kSpiderBoost, "spiderboost:sigma0=1", RunEnd::first_passage, kKappa, kKappa + 0.5,
                  "eps^-3/2"},
    PrescribedRow{kSarah, "sarah:sigma0=1", RunEnd::first_passage, kKappa, kKappa + 0.5, "eps^-3/2"},
    PrescribedRow{kStorm, "storm:batch=1", RunEnd::first_passage, 1.5 * kKappa, 1.5 * kKappa, "eps^-3/2"},
};

/// Of those whose batch follows from eps: the batch that does best in hindsight, among powers of two.
struct TunedRow {
    std::string_view name;
    std::string (*text)(Index batch);
    bool one_batch;  // there is nothing to tune
    Real samples;
    std::string_view rate;
};

Index root(Index value) {
    return std::max<Index>(1, static_cast<Index>(std::lround(std::sqrt(static_cast<Real>(value)))));
}

constexpr std::array kTunedMethods{
    TunedRow{kSgd, [](Index batch) { return fmt::format("prox-sgd:batch={}", batch); }, false, kKappa + 1,
             "eps^-2"},
    TunedRow{kSpiderBoost,
             [](Index batch) {
                 return fmt::format("spiderboost:anchor={0},batch={1},epoch={1}", batch,
                                    root((batch + 1) / 2));
             },
             false, kKappa + 0.5, "eps^-3/2"},
    TunedRow{kSarah,
             [](Index batch) {
                 return fmt::format("sarah:anchor={},batch={},epoch={}", batch, root(batch), root(batch) + 1);
             },
             false, kKappa + 0.5, "eps^-3/2"},
    TunedRow{kStorm, [](Index batch) { return fmt::format("storm:batch={}", batch); }, true, 1.5 * kKappa,
             "eps^-3/2"},
};

/// eps = 1/value. Powers of four, so that w = 0.5/sqrt(eps) is whole.
struct EpsSweep {
    std::vector<Index> prescribed;
    Index dear;  // the last one for methods that are
    std::vector<Index> tuned;
    Index repeats;  // runs that a mean is taken over

    std::vector<Index> literal() const {
        std::vector<Index> kept = prescribed;
        std::erase_if(kept, [&](Index value) { return value > dear; });
        return kept;
    }
    std::vector<Index> values(const PrescribedRow& method) const {
        return method.dear ? literal() : prescribed;
    }
};

EpsSweep eps_sweep(StudyPreset preset) {
    if (preset == StudyPreset::full) return {{16, 64, 256, 1024, 4096}, 1024, {64, 256, 1024, 4096}, 8};
    return {{16, 64, 256}, 256, {256, 1024}, 2};
}

Real eps_of(Index value) {
    return 1 / static_cast<Real>(value);
}

std::string eps_name(std::string_view method, Index value) {
    return fmt::format("{}, eps = 1/{}", method, value);
}

void add_count(const char* stream, std::string_view method, Index value, const SampleCount& count,
               std::uint64_t seed, CellResult& result) {
    const auto add = [&](const char* figure, Real number) {
        result.measurements.push_back({stream, eps_name(method, value), figure, seed, number});
    };
    add(kEpsSamples, count.samples);
    add(kEpsCalls, count.calls);
    add(kIterations, count.steps);
    add(kEach, count.samples / count.steps);
    add(kRatio, count.ratio);
}

void note_missing(const char* stream, std::string_view method, Index value, std::uint64_t seed, StopFlag stop,
                  CellResult& result) {
    result.interrupted = stop != nullptr && *stop;
    if (!result.interrupted) {
        result.notes.push_back(
            fmt::format("{}, {}, seed {}: did not get there", stream, eps_name(method, value), seed));
    }
}

CellResult run_prescribed(const PrescribedRow& method, Index value, std::uint64_t seed, StopFlag stop,
                          const std::function<void(Real)>& on_share) {
    const OfflineProblem ramp = ramp_problem("", seed);
    const auto count = count_until(ramp, std::string(method.text), eps_of(value), method.end, kMostSamples,
                                   seed, stop, on_share);
    CellResult result;
    if (count) {
        add_count(kPrescribed, method.name, value, *count, seed, result);
    } else {
        note_missing(kPrescribed, method.name, value, seed, stop, result);
    }
    return result;
}

/// Batches are doubled until none of the levels gains by it.
CellResult run_tuned(const TunedRow& method, const EpsSweep& sweep, std::uint64_t seed, StopFlag stop,
                     const std::function<void(Real)>& on_share) {
    constexpr Index kDoublings = 20;
    constexpr Real kPatience = 8;  // steps that a batch is given to reach the last level, times 1/eps
    std::vector<OfflineProblem> ramps;
    for (Index repeat = 0; repeat < sweep.repeats; ++repeat)
        ramps.push_back(ramp_problem("", seed * sweep.repeats + repeat));
    std::vector<Real> levels;
    for (const Index value : sweep.tuned) levels.push_back(eps_of(value));
    const Real most_steps = method.one_batch ? kInfinity : kPatience / levels.back();

    std::vector<std::optional<SampleCount>> best(levels.size());
    for (Index doubling = 0; doubling < (method.one_batch ? 1 : kDoublings); ++doubling) {
        const Real most_samples = best.back() ? best.back()->samples : kMostSamples;
        const auto counts = count_levels(ramps, method.text(Index{1} << doubling), levels, most_samples,
                                         most_steps, seed, stop);
        bool gained = !best.back();
        for (Index i = 0; i < levels.size(); ++i) {
            if (!counts[i] || (best[i] && counts[i]->samples >= best[i]->samples)) continue;
            best[i] = counts[i];
            gained = true;
        }
        if (!gained || (stop != nullptr && *stop)) break;
        on_share(static_cast<Real>(doubling + 1) / kDoublings);
    }
    CellResult result;
    for (Index i = 0; i < levels.size(); ++i) {
        if (best[i] && !(stop != nullptr && *stop)) {
            add_count(kTuned, method.name, sweep.tuned[i], *best[i], seed, result);
        } else {
            note_missing(kTuned, method.name, sweep.tuned[i], seed, stop, result);
        }
    }
    return result;
}

std::vector<ChartPoint> eps_points(const ResultTable& table, const char* stream, std::string_view method,
                                   const std::vector<Index>& values, const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index value : values)
        line.push_back(point_of(table, stream, eps_name(method, value), static_cast<Real>(value), figure));
    return line;
}

/// A slope for each seed, so that its error is that of the seeds.
Estimate slope(const ResultTable& table, const char* stream, std::string_view method,
               const std::vector<Index>& values, const char* figure) {
    std::vector<std::vector<ChartPoint>> by_seed;
    for (const Index value : values) {
        const std::string name = eps_name(method, value);
        for (const Measurement& row : table.rows()) {
            if (row.stream != stream || row.method != name || row.figure != figure) continue;
            if (by_seed.size() < row.seed) by_seed.resize(row.seed);
            by_seed[row.seed - 1].push_back({.x = eps_of(value), .y = row.value});
        }
    }
    std::vector<Real> slopes;
    for (const auto& line : by_seed) {
        if (line.size() != values.size()) return {};
        slopes.push_back(log_log_slope(line).mean);
    }
    return estimate(slopes);
}

std::vector<NamedChart> eps_charts(const ResultTable& table, const EpsSweep& sweep) {
    const auto chart = [&](const char* title, const char* figure, const char* label) {
        Chart result;
        result.title = title;
        result.subtitle = "ramp, sigma_0 = 1, L = 1; tuned: in hindsight, to a mean over the later half";
        const auto panel = [&](const char* stream) -> Panel& {
            Panel& made = result.panels.emplace_back();
            made.title = stream;
            made.x = {"1/eps", Scale::log2};
            made.y = {label, Scale::log};
            return made;
        };
        Panel& prescribed = panel(kPrescribed);
        for (const PrescribedRow& method : kPrescribedMethods) {
            prescribed.series.push_back({std::string(method.name), eps_points(table, kPrescribed, method.name,
                                                                              sweep.values(method), figure)});
        }
        if (figure == kEpsSamples) {
            prescribed.series.push_back(
                {"reduction, its calls: the paper's count",
                 eps_points(table, kPrescribed, kLiteralReduction, sweep.literal(), kEpsCalls)});
        }
        Panel& tuned = panel(kTuned);
        for (const TunedRow& method : kTunedMethods) {
            tuned.series.push_back(
                {std::string(method.name), eps_points(table, kTuned, method.name, sweep.tuned, figure)});
        }
        return result;
    };
    return {{"samples.svg", chart("Base samples to |P|^2 <= eps", kEpsSamples, "base samples")},
            {"calls.svg", chart("Calls to |P|^2 <= eps", kEpsCalls, "calls")},
            {"steps.svg", chart("Iterations to |P|^2 <= eps", kIterations, "iterations")}};
}

/// What (D-sg) leaves of |P|^2/eps after so many tests, each of an estimate whose noise is not bounded: one
/// that passes may look better than it is. With eta = 1/L the test is 0.8 sqrt(eps) and the deviation of an
/// estimate 0.2 sqrt(eps), over the root of w where its w answers are that exact each. Samples' noise is
/// sqrt(2) sigma_0 cos(theta) along a line, which is sub-Gaussian with its own variance.
Real selected_square(Real tests, Real copies) {
    return std::pow(0.8 + 0.2 * std::sqrt(2 * (1 + std::log(2 * (1 + tests))) / copies), 2);
}

std::vector<Finding> eps_findings(const ResultTable& table, const EpsSweep& sweep) {
    std::vector<Finding> found;
    const auto add_slope = [&](const char* stream, std::string_view method, const std::vector<Index>& values,
                               const char* figure, const std::string& what, Real exponent, Real room,
                               const char* paper = "") {
        found.push_back({fmt::format("{}, {}: slope of {} against eps, log-log", stream, method, what),
                         slope(table, stream, method, values, figure), -exponent - room, -exponent + room,
                         paper});
    };
    for (const PrescribedRow& method : kPrescribedMethods) {
        const bool reduction = method.end == RunEnd::own_test;
        const Real room = reduction ? kWideRoom : kRoom;
        const std::vector<Index> values = sweep.values(method);
        add_slope(kPrescribed, method.name, values, kEpsSamples,
                  fmt::format("base samples ({})", method.rate), method.samples, room,
                  reduction ? "-1.5, counted in calls" : "");
        add_slope(kPrescribed, method.name, values, kIterations, "iterations", method.steps, room);
    }
    for (const std::string_view method : {kLiteralReduction, kIndependentReduction}) {
        const std::vector<Index> values = method == kLiteralReduction ? sweep.literal() : sweep.prescribed;
        add_slope(kPrescribed, method, values, kEpsCalls, "calls", kKappa + 0.5, kWideRoom,
                  "-1.5, matching variance reduction");
        const std::string last = eps_name(method, values.back());
        const Real window =
            method == kLiteralReduction ? 5 * kEpsSigma / std::sqrt(eps_of(values.back())) : 1;
        found.push_back({fmt::format("{}, {}: |P|^2/eps at its own end; at most (D-sg)", kPrescribed, last),
                         table.at(kPrescribed, last, kRatio), 0,
                         selected_square(table.at(kPrescribed, last, kIterations).mean, window)});
    }
    for (const TunedRow& method : kTunedMethods) {
        add_slope(kTuned, method.name, sweep.tuned, kEpsSamples,
                  fmt::format("base samples ({})", method.rate), method.samples, kTunedRoom);
    }
    const auto over_at = [&](const char* stream, std::string_view above, std::string_view below, Index value,
                             Real low, Real high) {
        found.push_back(
            {fmt::format("{}, eps = 1/{}: base samples of {} over those of {}", stream, value, above, below),
             over(table.at(stream, eps_name(above, value), kEpsSamples),
                  table.at(stream, eps_name(below, value), kEpsSamples).mean),
             low, high});
    };
    over_at(kPrescribed, kIndependentReduction, kSgd, sweep.prescribed.back(), 0.5, 5);
    over_at(kPrescribed, kLiteralReduction, kSpiderBoost, sweep.dear, 50, kInfinity);
    over_at(kTuned, kSpiderBoost, kSgd, sweep.tuned.back(), 0, 0.7);
    return found;
}

}  // namespace

StudyPlan plan_sample_complexity(StudyPreset preset, Index seeds) {
    const EpsSweep sweep = eps_sweep(preset);
    StudyPlan plan;
    plan.question =
        "How many base samples until |P|^2 <= eps? On the ramp, a slope so flat that every method needs "
        "about 1/eps steps, beside a well\nin which noise keeps the point moving. f is known there in closed "
        "form, and judges every point; methods see samples only. First with\nparameters that theory sets "
        "from eps, to the first point that is stationary enough, or for the reduction to the end of its own "
        "test;\nthen with the batch that does best in hindsight, to where a random index among the later "
        "half of the points is stationary enough, in the mean over a few runs.";
    plan.figures = {{kEpsSamples, "base samples", Better::neither},
                    {kEpsCalls, "calls", Better::neither},
                    {kIterations, "iterations", Better::neither},
                    {kEach, "base samples an iteration", Better::neither},
                    {kRatio, "|P|^2 / eps at the end", Better::neither}};
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const PrescribedRow& method : kPrescribedMethods) {
            for (const Index value : sweep.values(method)) {
                plan.cells.push_back(
                    {fmt::format("{}, {}, seed {}", kPrescribed, eps_name(method.name, value), seed),
                     [&method, value, seed](StopFlag stop, const std::function<void(Real)>& share) {
                         return run_prescribed(method, value, seed, stop, share);
                     }});
            }
        }
        for (const TunedRow& method : kTunedMethods) {
            plan.cells.push_back(
                {fmt::format("{}, {}, seed {}", kTuned, method.name, seed),
                 [&method, sweep, seed](StopFlag stop, const std::function<void(Real)>& share) {
                     return run_tuned(method, sweep, seed, stop, share);
                 }});
        }
    }
    for (const PrescribedRow& method : kPrescribedMethods) {
        // A fit ends when it is measured to be there: its own test is left alone where no epsilon is wanted.
        const char* rest = method.end == RunEnd::own_test ? ",w=4,delta=0.4" : " --epsilon 0.125";
        plan.glossary.emplace_back(
            eps_name(method.name, 64),
            fmt::format("proxstream fit sampler:ramp --method {}{} --measure 0.001", method.text, rest));
    }
    plan.glossary.emplace_back(kTuned,
                               "prox-sgd: batch B; spiderboost: anchor B, batch = epoch = sqrt(B/2); "
                               "sarah: anchor B, batch sqrt B, epoch sqrt B + 1; B = 1, 2, 4, ...; "
                               "storm: batch 1, nothing to tune");
    plan.charts = [sweep](const ResultTable& table) { return eps_charts(table, sweep); };
    plan.findings = [sweep](const ResultTable& table) { return eps_findings(table, sweep); };
    return plan;
}

}  // namespace proxstream
