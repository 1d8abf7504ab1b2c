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

/// All solvers on the same windows: a row for each in time and in passes, then rows against the peer.
class WindowRows {
  public:
    WindowRows(Bench& bench, const PeerFigures& peer, bool wanted)
        : bench_(bench),
          peer_(peer),
          wanted_(wanted),
          rounds_(bench.size(100, 4)),
          place_(fmt::format("inner.{}-", peer.text)),
          problem_(fmt::format("delta/w = {}", peer.text)) {}

    void add() {
        const Windows windows = make_windows(rounds_);
        make_players(windows);
        measure(windows);
        for (Index i = 0; i < present_.size(); ++i) add_solver(i);
        add_peer("backtracking", "backtracking");
        add_peer("eigen-native", "native Eigen");
    }

  private:
    std::vector<std::string> solvers() {
        std::vector<std::string> names{"prox-grad", "auto"};
        for (const InnerRow& row : inner_solvers()) {
            const std::string name(row.name);
            // Without a network, blocks is backtracking.
            if (name != "blocks" && std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
        return names;
    }

    void make_players(const Windows& windows) {
        const Real tolerance = 0.5 * peer_.tolerance;
        for (const std::string& name : solvers()) {
            try {
                played_[name] = std::make_unique<LearnerPlayer>(windows, tolerance, name);
                present_.push_back(name);
            } catch (const std::exception& error) {  // not made for these windows
                bench_.skip(place_ + name, problem_, error.what());
            }
        }
        for (const EigenRival* rival : {&eigen_plain(), &eigen_native()}) {
            present_.emplace_back(rival == &eigen_plain() ? "eigen" : "eigen-native");
            played_[present_.back()] = std::make_unique<RivalPlayer>(*rival, tolerance);
        }
    }

    void measure(const Windows& windows) {
        const Effort effort = bench_.effort(10);
        const Index rounds_each = rounds_ / static_cast<Index>(effort.repeats);
        std::vector<Timed> timed;
        for (const std::string& name : present_) {
            Player& player = *played_[name];
            timed.emplace_back(
                [&windows, &player, rounds_each] { return player.play(windows, rounds_each); });
        }
        timings_ = comparison(timed, effort);
    }

    void add_solver(Index i) {
        const std::string& name = present_[i];
        const Player& player = *played_[name];
        const bool rival = name.starts_with("eigen");
        const std::string what =
            rival ? problem_ + ", Eigen's prox-gradient" + (name == "eigen" ? "" : ", native")
                  : problem_ + ", " + name;
        std::string note = fmt::format("{:.1f} passes a round", a_round(player.passes));
        if (player.unfinished > 0) note += ", " + unfit(name);
        bench_.add({.name = place_ + name,
                    .measured = what,
                    .against = i == 0 ? "" : "prox-grad, in time",
                    .ratio = i == 0 ? std::nullopt : std::optional(timings_.ratio(0, i)),
                    .figure = Figure{ms_a_round(i), "ms a round"},
                    .note = note});
        if (rival || i == 0) return;
        const double passes = played_["prox-grad"]->passes / player.passes;
        const bool judged = wanted_ && std::ranges::find(kJudged, name) != kJudged.end();
        bench_.add({.name = place_ + name + "-passes",
                    .measured = what,
                    .against = "prox-grad, in passes",
                    .ratio = Spread{passes, passes, passes, 1},
                    .figure = Figure{a_round(player.passes), "passes a round"},
                    .wanted = judged ? std::optional(ratio_at_least(10)) : std::nullopt,
                    .unfit = unfit(name)});
    }

    /// The judged solvers against the peer, whose machine is compared with this one by a solver that ran on
    /// both.
    void add_peer(const std::string& scaling, const std::string& by) {
        for (const std::string& name : kJudged) {
            bench_.add(
                {.name = fmt::format("{}{}-peer-by-{}", place_, name, scaling),
                 .measured = problem_ + ", " + name,
                 .against =
                     fmt::format("best peer {} ms (prox-grad {}), by {}", peer_.best, peer_.prox_grad, by),
                 .ratio = timings_.ratio(place_of(scaling), place_of(name), peer_.best / peer_.prox_grad),
                 .figure = Figure{ms_a_round(place_of(name)), "ms a round"},
                 .wanted = wanted_ ? std::optional(ratio_at_least(3)) : std::nullopt,
                 .unfit = unfit(name)});
        }
    }

    Index place_of(const std::string& name) const {
        return static_cast<Index>(std::ranges::find(present_, name) - present_.begin());
    }
    double a_round(double value) const { return value / static_cast<double>(rounds_); }
    double ms_a_round(Index i) const { return 1e3 * a_round(timings_.total(i)); }
    std::string unfit(const std::string& name) const {
        const Index left = played_.at(name)->unfinished;
        return left > 0 ? fmt::format("exit test not reached in {} rounds", left) : std::string();
    }

    Bench& bench_;
    PeerFigures peer_;
    bool wanted_;
    Index rounds_;
    std::string place_, problem_;
    std::vector<std::string> present_;
    std::map<std::string, std::unique_ptr<Player>> played_;
    Timings timings_{std::vector<std::vector<double>>{}};
};

}  // namespace

void inner_rows(Bench& bench) {
    bench.group("inner.5e-5", [&] { WindowRows(bench, {"5e-5", 5e-5, 14.8, 181}, true).add(); });
    bench.group("inner.5e-3", [&] { WindowRows(bench, {"5e-3", 5e-3, 2.8, 8.9}, false).add(); });
}

}  // namespace proxstream::bench
