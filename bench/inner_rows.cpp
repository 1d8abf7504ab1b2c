/// Inner solvers on the warm-started windows of robust regression for which figures of peers are known: 100
/// rounds of 20 rows, n = 500, w = 20 records, L1. The peers' loss is r^2/(1 + r^2), twice geman-mcclure:1:
/// weight and tolerance are halved here, which makes it the same problem with the same exit test.
#include "proxstream/prox/regulariser_table.hpp"

#include "fixtures.hpp"
#include "loss/linear_family.hpp"
#include "online/learner_table.hpp"
#include "peers/eigen_rival.hpp"
#include "sections.hpp"
#include "solve/inner_table.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

constexpr Index kRecordRows = 20, kWindow = 20;
constexpr Real kWeight = 0.5 * 2e-3;
/// Solvers that are compared with the peers.
const std::vector<std::string> kJudged{"auto", "panoc"};

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

/// Plays the records in order, some at a time. The players take turns, so that each part meets the same
/// machine.
class Player {
  public:
    Player() = default;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    virtual ~Player() = default;

    /// The next `count` rounds; seconds.
    double play(const Windows& windows, Index count) {
        const auto begin = std::chrono::steady_clock::now();
        for (const Index end = next_ + count; next_ < end; ++next_) play_round(windows, next_);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    double passes = 0;     // record gradients and values over those of a whole window
    Index unfinished = 0;  // rounds without their exit test

  private:
    virtual void play_round(const Windows& windows, Index t) = 0;
    Index next_ = 0;
};

class LearnerPlayer final : public Player {
  public:
    LearnerPlayer(const Windows& windows, Real tolerance, const std::string& inner)
        : learner_(make_learner(
              "time-smoothed",
              {.g = parse_regulariser(fmt::format("l1:{}", kWeight)),
               .make_batch =
                   [](Index capacity) {
                       return LinearFamily({.formula = ScalarFormula::geman_mcclure, .scale = 1}, 500, false)
                           .make_batch(capacity);
                   },
               .start = std::vector<Real>(500),
               .window = std::to_string(kWindow),
               .step = 1 / windows.smoothness,
               .smoothness = windows.smoothness,
               .tolerance = Tolerance::fixed(tolerance * static_cast<Real>(kWindow)),
               .budget = {.max_steps = 100'000},
               .inner = inner})) {}

  private:
    void play_round(const Windows& windows, Index t) override {
        const RoundReport report = learner_->observe(windows.records[t]);
        passes += static_cast<double>(report.cost.record_gradients + report.cost.record_values) /
                  static_cast<double>(kWindow);
        unfinished += report.status == RoundStatus::budget_exhausted ? 1 : 0;
    }
    std::unique_ptr<AnyLearner> learner_;
};

class RivalPlayer final : public Player {
  public:
    RivalPlayer(const EigenRival& rival, Real tolerance)
        : rival_(rival),
          tolerance_(tolerance),
          values_(kWindow * kRecordRows * 500),
          targets_(kWindow * kRecordRows),
          x_(500) {}

  private:
    void play_round(const Windows& windows, Index t) override {
        const RowBlock& record = windows.records[t];
        const Index slot = t % kWindow * kRecordRows;
        std::ranges::copy(record.all_values(), values_.begin() + static_cast<std::ptrdiff_t>(slot * 500));
        std::ranges::copy(record.targets(), targets_.begin() + static_cast<std::ptrdiff_t>(slot));
        const RivalReport report =
            rival_.prox_gradient({values_.data(), targets_.data(), std::min(t + 1, kWindow) * kRecordRows,
                                  500, static_cast<double>(kWindow * kRecordRows)},
                                 {kWeight, 1 / windows.smoothness, tolerance_, 100'000}, x_.data());
        passes += report.passes;
        unfinished += report.gap > tolerance_ ? 1 : 0;
    }
    const EigenRival& rival_;
    Real tolerance_;
    std::vector<double> values_, targets_, x_;
};

/// A round of the peer, in milliseconds on its machine.
struct PeerFigures {
    const char* text;  // delta / w
    Real tolerance;
    double best;
    double prox_grad;
};

void windows(Bench& bench, const PeerFigures& peer, bool wanted) {
    const Index rounds = bench.size(100, 4);
    const Windows made = make_windows(rounds);
    const Real tolerance = 0.5 * peer.tolerance;
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
    std::vector<std::string> present;
    std::map<std::string, std::unique_ptr<Player>> played;
    for (const std::string& name : names) {
        try {
            played[name] = std::make_unique<LearnerPlayer>(made, tolerance, name);
            present.push_back(name);
        } catch (const std::exception& error) {  // not made for these windows
            bench.skip(place + name, problem, error.what());
        }
    }
    for (const EigenRival* rival : {&eigen_plain(), &eigen_native()}) {
        present.emplace_back(rival == &eigen_plain() ? "eigen" : "eigen-native");
        played[present.back()] = std::make_unique<RivalPlayer>(*rival, tolerance);
    }
    const Effort effort = bench.effort(10);
    const Index stretch = rounds / static_cast<Index>(effort.repeats);
    std::vector<Timed> timed;
    for (const std::string& name : present) {
        Player& player = *played[name];
        timed.emplace_back([&made, &player, stretch] { return player.play(made, stretch); });
    }
    const Timings timings = comparison(timed, effort);
    const auto ms_a_round = [&](Index i) { return 1e3 * timings.total(i) / static_cast<double>(rounds); };
    const auto place_of = [&](const std::string& name) {
        return static_cast<Index>(std::ranges::find(present, name) - present.begin());
    };
    const auto a_round = [&](double value) { return value / static_cast<double>(rounds); };
    const auto unfit = [&](const std::string& name) {
        const Index left = played[name]->unfinished;
        return left > 0 ? fmt::format("exit test not reached in {} rounds", left) : std::string();
    };
    const auto note = [&](const std::string& name) {
        std::string text = fmt::format("{:.1f} passes a round", a_round(played[name]->passes));
        if (played[name]->unfinished > 0) text += ", " + unfit(name);
        return text;
    };
    // In passes, and in time.
    for (Index i = 0; i < present.size(); ++i) {
        const std::string& name = present[i];
        const bool rival = name.starts_with("eigen");
        const std::string what =
            rival ? problem + ", Eigen's prox-gradient" + (name == "eigen" ? "" : ", native")
                  : problem + ", " + name;
        bench.add({.name = place + name,
                   .measured = what,
                   .against = i == 0 ? "" : "prox-grad, in time",
                   .ratio = i == 0 ? std::nullopt : std::optional(timings.ratio(0, i)),
                   .figure = Figure{ms_a_round(i), "ms a round"},
                   .note = note(name)});
        if (rival || i == 0) continue;
        const double passes = played["prox-grad"]->passes / played[name]->passes;
        const bool judged = wanted && std::ranges::find(kJudged, name) != kJudged.end();
        bench.add({.name = place + name + "-passes",
                   .measured = what,
                   .against = "prox-grad, in passes",
                   .ratio = Spread{passes, passes, passes, 1},
                   .figure = Figure{a_round(played[name]->passes), "passes a round"},
                   .wanted = judged ? std::optional(ratio_at_least(10)) : std::nullopt,
                   .unfit = unfit(name)});
    }
    const struct {
        const char* name;
        const char* by;
    } scalings[] = {{"backtracking", "backtracking"}, {"eigen", "Eigen"}, {"eigen-native", "native Eigen"}};
    for (const auto& scaling : scalings) {
        for (const std::string& name : kJudged) {
            bench.add(
                {.name = fmt::format("{}{}-peer-by-{}", place, name, scaling.name),
                 .measured = problem + ", " + name,
                 .against = fmt::format("best peer {} ms (prox-grad {}), by {}", peer.best, peer.prox_grad,
                                        scaling.by),
                 .ratio = timings.ratio(place_of(scaling.name), place_of(name), peer.best / peer.prox_grad),
                 .figure = Figure{ms_a_round(place_of(name)), "ms a round"},
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
