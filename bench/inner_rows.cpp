/// Inner solvers on the warm-started robust regression windows of notes/peers.md: 100 rounds of 20 rows, n =
/// 500, w = 20 records, L1. The peers' loss is r^2/(1 + r^2), twice geman-mcclure:1: weight and tolerance are
/// halved here, which makes it the same problem with the same exit test.
#include "proxstream/loss/linear_family.hpp"
#include "proxstream/online/learner_table.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/solve/inner_table.hpp"

#include "fixtures.hpp"
#include "peers/eigen_rival.hpp"
#include "sections.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

constexpr Index kRecordRows = 20, kWindow = 20;
constexpr Real kWeight = 0.5 * 2e-3;

struct Windows {
    RobustData data;
    std::vector<RowBlock> records;
    Real smoothness = 0;  // L, measured: the largest over full windows
};

Windows make_windows(Index rounds) {
    Windows windows{.data = robust_regression(rounds * kRecordRows, 1), .records = {}};
    for (Index t = 0; t < rounds; ++t)
        windows.records.push_back(windows.data.block(t * kRecordRows, kRecordRows));
    const Index full = std::min(rounds, kWindow);
    for (Index t = 0; t + full <= rounds; t += std::max<Index>(full / 2, 1)) {
        windows.smoothness =
            std::max(windows.smoothness, largest_eigenvalue(windows.data, t * kRecordRows, full * kRecordRows,
                                                            static_cast<Real>(kWindow * kRecordRows)));
    }
    windows.smoothness *= 1.05;  // between the windows that were looked at
    return windows;
}

struct Played {
    double passes = 0;  // record gradients and values over those of a whole window
    Index unfinished = 0;
};

class Contestants {
  public:
    Contestants(const Windows& windows, Real tolerance) : windows_(windows), tolerance_(tolerance) {}

    /// All rounds; seconds in the learner alone.
    double play(const std::string& inner, Played& played) const {
        const auto learner = make_learner(
            "time-smoothed",
            {.g = parse_regulariser(fmt::format("l1:{}", kWeight)),
             .make_batch =
                 [](Index capacity) {
                     return LinearFamily({.formula = ScalarFormula::geman_mcclure, .scale = 1}, 500, false)
                         .make_batch(capacity);
                 },
             .start = std::vector<Real>(500),
             .window = std::to_string(kWindow),
             .step = 1 / windows_.smoothness,
             .smoothness = windows_.smoothness,
             .tolerance = Tolerance::fixed(tolerance_ * static_cast<Real>(kWindow)),
             .budget = {.max_steps = 100'000},
             .inner = inner});
        played = {};
        std::uint64_t gradients = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (const RowBlock& record : windows_.records) {
            const RoundReport report = learner->observe(record);
            gradients += report.cost.record_gradients + report.cost.record_values;
            played.unfinished += report.status == RoundStatus::budget_exhausted ? 1 : 0;
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        played.passes = static_cast<double>(gradients) / static_cast<double>(kWindow);
        return seconds;
    }

    double play_rival(const EigenRival& rival, Played& played) const {
        std::vector<double> values(kWindow * kRecordRows * 500), targets(kWindow * kRecordRows), x(500);
        played = {};
        const auto begin = std::chrono::steady_clock::now();
        for (Index t = 0; t < windows_.records.size(); ++t) {
            const RowBlock& record = windows_.records[t];
            const Index slot = t % kWindow * kRecordRows;
            std::ranges::copy(record.all_values(), values.begin() + static_cast<std::ptrdiff_t>(slot * 500));
            std::ranges::copy(record.targets(), targets.begin() + static_cast<std::ptrdiff_t>(slot));
            const RivalReport report =
                rival.prox_gradient({values.data(), targets.data(), std::min(t + 1, kWindow) * kRecordRows,
                                     500, static_cast<double>(kWindow * kRecordRows)},
                                    {kWeight, 1 / windows_.smoothness, tolerance_, 100'000}, x.data());
            played.passes += report.passes;
            played.unfinished += report.residual > tolerance_ ? 1 : 0;
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  private:
    const Windows& windows_;
    Real tolerance_;
};

/// What peers.md says of a round, in milliseconds on its machine.
struct PeerFigures {
    const char* text;  // delta / w
    Real tolerance;
    double best;
    double prox_grad;
};

void windows(Bench& bench, const PeerFigures& peer, bool wanted) {
    const Index rounds = bench.size(100, 4);
    const Windows made = make_windows(rounds);
    const Contestants contestants(made, 0.5 * peer.tolerance);
    const std::string place = fmt::format("inner.{}-", peer.text);
    const std::string problem = fmt::format("robust windows, delta/w = {}", peer.text);

    std::vector<std::string> names{"prox-grad", "auto"};
    for (const InnerRow& row : inner_solvers()) {
        const std::string name(row.name);
        if (name == "blocks") {
            bench.skip(place + name, problem, "backtracking where there is no network");
            continue;
        }
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::map<std::string, Played> played;
    std::vector<Timed> timed;
    std::vector<std::string> present;
    for (const std::string& name : names) {
        try {  // what cannot be made for these windows says so before anything is timed
            const Contestants few(made, 1e9);
            few.play(name, played[name]);
        } catch (const std::exception& error) {
            bench.skip(place + name, problem, error.what());
            continue;
        }
        if (name == "spider") {  // slower than prox-grad so far: once will do
            Played reference;
            const Timings once = contest({[&] { return contestants.play("prox-grad", reference); },
                                          [&] { return contestants.play(name, played[name]); }},
                                         bench.effort(1));
            bench.add(
                {.name = place + name,
                 .measured = problem + ", " + name,
                 .against = "prox-grad with step 1/L, in time",
                 .ratio = once.ratio(0, 1),
                 .figure = Figure{1e3 * once.seconds(1).median / static_cast<double>(rounds), "ms a round"},
                 .note = fmt::format("{:.1f} passes a round, prox-grad {:.1f}",
                                     played[name].passes / static_cast<double>(rounds),
                                     reference.passes / static_cast<double>(rounds))});
            continue;
        }
        present.push_back(name);
        timed.emplace_back([&contestants, &played, name] { return contestants.play(name, played[name]); });
    }
    for (const EigenRival* rival : {&eigen_plain(), &eigen_native()}) {
        const std::string name = rival == &eigen_plain() ? "eigen" : "eigen-native";
        present.push_back(name);
        timed.emplace_back(
            [&contestants, &played, rival, name] { return contestants.play_rival(*rival, played[name]); });
    }
    const Timings timings = contest(timed, bench.effort(3));
    const auto place_of = [&](const std::string& name) {
        return static_cast<Index>(std::ranges::find(present, name) - present.begin());
    };
    const auto a_round = [&](double value) { return value / static_cast<double>(rounds); };
    const auto unfit = [&](const std::string& name) {
        const Index left = played[name].unfinished;
        return left > 0 ? fmt::format("exit test not reached in {} rounds", left) : std::string();
    };
    const auto note = [&](const std::string& name) {
        std::string text = fmt::format("{:.1f} passes a round", a_round(played[name].passes));
        if (played[name].unfinished > 0) text += ", " + unfit(name);
        return text;
    };
    // In the units of whoever counts: passes, and time.
    for (Index i = 0; i < present.size(); ++i) {
        const std::string& name = present[i];
        const Spread seconds = timings.seconds(i);
        const bool rival = name.starts_with("eigen");
        const std::string what = rival ? problem + ", Eigen's prox-gradient with a doubling search" +
                                             (name == "eigen" ? "" : ", compiled for this machine")
                                       : problem + ", " + name;
        bench.add({.name = place + name,
                   .measured = what,
                   .against = i == 0 ? "" : "prox-grad with step 1/L, in time",
                   .ratio = i == 0 ? std::nullopt : std::optional(timings.ratio(0, i)),
                   .figure = Figure{1e3 * a_round(seconds.median), "ms a round"},
                   .note = note(name)});
        if (rival || i == 0) continue;
        const double passes = played["prox-grad"].passes / played[name].passes;
        const bool judged = wanted && (name == "auto" || name == "panoc");
        bench.add({.name = place + name + "-passes",
                   .measured = what,
                   .against = "prox-grad with step 1/L, in window passes",
                   .ratio = Spread{passes, passes, passes, 1},
                   .figure = Figure{a_round(played[name].passes), "passes a round"},
                   .wanted = judged ? std::optional(ratio_at_least(10)) : std::nullopt,
                   .unfit = unfit(name)});
    }
    const struct {
        const char* name;
        const char* by;
    } scalings[] = {{"backtracking", "our backtracking"},
                    {"eigen", "Eigen's prox-gradient"},
                    {"eigen-native", "Eigen's prox-gradient compiled for this machine"}};
    for (const auto& scaling : scalings) {
        for (const char* name : {"auto", "panoc"}) {
            bench.add(
                {.name = place + name + "-peer-by-" + scaling.name,
                 .measured = problem + ", " + name,
                 .against = fmt::format("the best peer's {} ms beside its prox-grad's {}, scaled by {} "
                                        "here",
                                        peer.best, peer.prox_grad, scaling.by),
                 .ratio = timings.ratio(place_of(scaling.name), place_of(name), peer.best / peer.prox_grad),
                 .figure = Figure{1e3 * a_round(timings.seconds(place_of(name)).median), "ms a round"},
                 .wanted = wanted ? std::optional(ratio_at_least(3)) : std::nullopt,
                 .unfit = unfit(name)});
        }
    }
}

}  // namespace

void inner_rows(Bench& bench) {
    bench.group("inner.5e-5", [&] { windows(bench, {"5e-5", 5e-5, 14.8, 181}, true); });
    bench.group("inner.5e-3", [&] { windows(bench, {"5e-3", 5e-3, 2.8, 8.9}, false); });
}

}  // namespace proxstream::bench
