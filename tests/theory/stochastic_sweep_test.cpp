// What is proved of estimated gradients, on random runs: bounded noise on every run, mean counts and mean
// regrets over its draws. Also the certificate of one run. PROXSTREAM_LONG=1 draws more of them.

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "support/noisy_learner.hpp"
#include "support/probe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Kind = EstimatorOptions::Kind;

/// Reproducible choices.
class NoiseDice {
  public:
    explicit NoiseDice(std::uint64_t run) : run_(run) {}
    Real real(Real low, Real high) { return low + (high - low) * uniform({60, run_, 0, 0, next_++}); }
    Index from(Index low, Index high) {
        return low + uniform_below({61, run_, 0, 0, next_++}, high - low + 1);
    }

  private:
    std::uint64_t run_;
    std::uint64_t next_ = 0;
};

/// Robust distances to a centre that wanders, jumps and jitters: L = 1, values from 0.
struct Stream {
    std::uint64_t seed = 0;
    Real drift = 0, jitter = 0;
    Round period = 1;

    Real centre(Round t, Index j) const {
        const Real side = t / period % 2 == 0 ? 1 : -1;
        return side * std::cos(drift * static_cast<Real>(t) + static_cast<Real>(j)) +
               jitter * normal({seed, t, static_cast<std::uint32_t>(j), 0, 0});
    }
    FunctionFamily::Record at(Round t, Index n) const {
        std::vector<Real> centres(n);
        for (Index j = 0; j < n; ++j) centres[j] = centre(t, j);
        return [centres](ConstView x, View gradient) {
            Real total = 0;
            for (Index j = 0; j < x.size(); ++j) {
                const Real r = x[j] - centres[j];
                total += std::log1p(r * r) / 2;
                if (!gradient.empty()) gradient[j] = r / (1 + r * r);
            }
            return total;
        };
    }
};

enum class Noise { sphere, gaussian, heavy };

/// What is drawn: E|e|^2 = (sigma/w)^2, tolerance delta/w, L = 1.
struct Case {
    Index n = 1, w = 1;
    Round rounds = 1;
    const char* regulariser = "zero";
    Noise noise = Noise::gaussian;
    bool independent = true;
    Kind kind = Kind::fresh;
    std::uint64_t confirm = 1;
    Real step = 1, sigma = 0, delta = 0;
    Stream stream;
    std::vector<Real> start;

    Real c() const { return 1 - step / 2; }
    Real length() const { return static_cast<Real>(w); }
    Real time() const { return static_cast<Real>(rounds); }
};

Case draw_case(std::uint64_t number, Noise noise, std::uint64_t most_confirm) {
    NoiseDice dice(number);
    constexpr const char* kRegularisers[] = {"zero", "l1:0.1", "box:-0.5,0.8", "l2sq:0.3"};
    Case run;
    run.n = dice.from(1, 3);
    run.w = dice.from(1, 8);
    run.rounds = dice.from(1, 25);
    run.regulariser = kRegularisers[dice.from(0, 3)];
    run.noise = noise;
    run.independent = dice.from(0, 1) == 0;
    run.confirm = dice.from(std::min<std::uint64_t>(most_confirm, 2), most_confirm);
    run.step = dice.real(0.2, 1.4);
    run.sigma = dice.real(0.05, 0.5);
    // Just above what the counts are proved for, up to well above.
    const Real least = noise == Noise::sphere ? 1 : std::sqrt(static_cast<Real>(run.confirm));
    run.delta = run.sigma * least / run.c() * dice.real(1.05, 2);
    run.stream = {number, dice.real(0, 0.5), dice.real(0, 1), dice.from(3, 30)};
    for (Index j = 0; j < run.n; ++j) run.start.push_back(dice.real(-0.4, 0.7));
    return run;
}

AnyOracle oracle_for(const Case& run) {
    // s = sigma/w: of noise that w records have independently, each has sqrt(w) times as much.
    const bool spread = run.independent && run.noise != Noise::sphere;
    const Real base = run.sigma / (spread ? std::sqrt(run.length()) : run.length());
    const NoiseModel::Kind kind = run.noise == Noise::sphere     ? NoiseModel::Kind::sphere
                                  : run.noise == Noise::gaussian ? NoiseModel::Kind::gaussian
                                                                 : NoiseModel::Kind::heavy;
    return AnyOracle(NoisyOracle({kind, base, 2.5}, 1, run.independent));
}

struct PlayedNoise {
    Real steps = 0;
    Real regret = 0;         // sum R_t^2
    Real variation = 0;      // sum d_t^2
    Real energy = 0;         // E_T = sum Phi_t(x_t) - Phi_t(x_{t+1})
    Real potentials = 0;     // sum Phi_t(x_t) - inf, at most
    Real exits = 0;          // sum r_t^2
    Real first_tests = 0;    // sum |P(x_t; G)|^2, first estimates
    Real first_squared = 0;  // r_0^2

    PlayedNoise& operator+=(const PlayedNoise& other) {
        steps += other.steps;
        regret += other.regret;
        variation += other.variation;
        energy += other.energy;
        potentials += other.potentials;
        exits += other.exits;
        first_tests += other.first_tests;
        first_squared += other.first_squared;
        return *this;
    }
    PlayedNoise over(Real count) const {
        return {steps / count,      regret / count, variation / count,   energy / count,
                potentials / count, exits / count,  first_tests / count, first_squared / count};
    }
};

PlayedNoise play(const Case& run, std::uint64_t seed) {
    NoisySmoothedOptions options;
    options.window = run.w;
    options.step = run.step;
    options.smoothness = 1;
    options.delta = run.delta;
    options.confirm = run.confirm;
    options.estimator.kind = run.kind;
    options.budget.max_steps = 1'000'000;
    options.seed = seed;
    const auto learner = make_noisy_learner(oracle_for(run), options, run.regulariser, run.start);
    PlayedNoise played;
    played.first_squared = square(learner->facts().initial_gap);
    EXPECT_NEAR(*learner->facts().noise->sigma, run.sigma, 1e-12);
    for (Round t = 1; t <= run.rounds; ++t) {
        const RoundReport report = learner->observe(run.stream.at(t, run.n));
        EXPECT_TRUE(report.status == RoundStatus::solved || report.status == RoundStatus::quiet);
        played.steps += static_cast<Real>(report.steps);
        played.regret += square(report.entry_gap);
        played.variation += square(report.variation);
        played.energy += report.objective_entry - report.objective_exit;
        played.potentials += report.objective_entry;
        played.exits += square(report.exit_gap);
        played.first_tests += square(report.first_gap);
    }
    return played;
}

/// The largest measured/bound of every rule.
class Ratios {
  public:
    void add(const std::string& rule, Real measured, Real bound, std::uint64_t number) {
        EXPECT_LE(measured, bound * (1 + 1e-9) + 1e-9) << rule << ", case " << number;
        largest_[rule] = std::max(largest_[rule], bound > 0 ? measured / bound : 0);
        ++count_[rule];
    }
    void note() const {
        for (const auto& [rule, ratio] : largest_) {
            testing::Test::RecordProperty(rule,
                                          std::to_string(ratio) + " of " + std::to_string(count_.at(rule)));
        }
    }
    Real largest(const std::string& rule) const { return largest_.at(rule); }

  private:
    std::map<std::string, Real> largest_;
    std::map<std::string, int> count_;
};

TEST(RandomRuns, BoundedNoiseProvesItsBoundsOnEveryOne) {
    Ratios ratios;
    const std::uint64_t runs = long_runs() ? 20'000 : 1000;
    for (std::uint64_t number = 0; number < runs; ++number) {
        Case run = draw_case(number, Noise::sphere, 3);
        run.kind = number % 2 == 0 ? Kind::paper : Kind::fresh;
        if (run.kind == Kind::paper) run.confirm = 1;
        const PlayedNoise played = play(run, number);
        // Theorem 5'.
        ratios.add(
            "count", played.steps,
            square(run.length()) * played.energy / (run.step * run.delta * (run.c() * run.delta - run.sigma)),
            number);
        // (D-bdd).
        const Real exits =
            (run.time() - 1) * square(run.delta + run.sigma) + square(run.length()) * played.first_squared;
        ratios.add("regret", played.regret,
                   square((std::sqrt(exits) + std::sqrt(played.variation)) / run.length()), number);
    }
    ratios.note();
    EXPECT_GT(ratios.largest("count"), 0.1);
    EXPECT_GT(ratios.largest("regret"), 0.5);
}

/// Means over draws that differ in their noise only.
PlayedNoise mean_of(const Case& run, std::uint64_t seeds) {
    PlayedNoise total;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) total += play(run, seed);
    return total.over(static_cast<Real>(seeds));
}

/// E Reg from a bound on E sum (a_stop)^2: R_t <= d_t/w + a_stop of the round before.
Real regret_bound(const Case& run, const PlayedNoise& mean, Real exits) {
    return square(std::sqrt(exits + mean.first_squared) + std::sqrt(mean.variation) / run.length());
}

void check_means(const Case& run, const PlayedNoise& mean, std::uint64_t number, Ratios& ratios) {
    const Real c = run.c();
    const Real noise = square(run.sigma);
    const Real test = square(run.delta);
    const Real paid = square(run.length()) * mean.energy / run.step;
    const Real tolerance = run.delta / run.length();
    const Real level = run.sigma / run.length();
    if (run.confirm > 1) {
        const Real m = static_cast<Real>(run.confirm);
        ratios.add("D-conf count", mean.steps,
                   (2 * c * paid + m * run.time() * noise) / (c * c * test - m * noise), number);
        // (1 + N)^(1/m) is concave: the mean over rounds stands for each.
        const Real exits =
            run.time() * (2 * square(tolerance) +
                          2 * square(level) * (m / (m - 1)) * std::pow(1 + mean.steps / run.time(), 1 / m));
        ratios.add("D-conf exit", mean.exits, exits, number);
        ratios.add("D-conf regret", mean.regret, regret_bound(run, mean, exits), number);
        return;
    }
    ratios.add("C", mean.steps,
               (square(run.length()) * mean.potentials / run.step + run.time() * noise) / (c * test - noise),
               number);
    ratios.add("C-i", mean.steps, (2 * c * paid + run.time() * noise) / (c * c * test - noise), number);
    for (const Real kappa : {0.5, 2.0}) {
        const Real taken = (1 + 1 / (2 * kappa)) * noise;
        if (c * test <= taken) continue;
        ratios.add("C-ii", mean.steps, (paid + run.time() * (taken + kappa * test / 2)) / (c * test - taken),
                   number);
    }
    if (run.noise == Noise::gaussian) {
        const Real selected =
            run.delta * std::sqrt(run.time()) +
            run.sigma * std::sqrt(2 * run.time() * (1 + std::log(2 + 2 * mean.steps / run.time())));
        ratios.add("D-sg", mean.regret, regret_bound(run, mean, square(selected / run.length())), number);
    } else {
        const Real tests = run.time() + mean.steps;
        const Real gamma = run.step * c;
        const Real way = (mean.energy + run.step * square(level) * tests +
                          run.step * tolerance * level * std::sqrt(run.time() * tests)) /
                         gamma;
        const Real widths = 2 * (way + run.time() * square(tolerance)) + 2 * square(level) * tests;
        const Real exits = 4 * run.time() * square(tolerance) + 4 * level * std::sqrt(run.time() * widths);
        ratios.add("D-var exit", mean.exits, exits, number);
        ratios.add("D-var regret", mean.regret, regret_bound(run, mean, exits), number);
    }
}

TEST(RandomRuns, BoundsHoldInTheMean) {
    Ratios ratios;
    const std::uint64_t cases = long_runs() ? 600 : 60;
    const std::uint64_t seeds = long_runs() ? 100 : 20;
    for (std::uint64_t number = 0; number < cases; ++number) {
        const Noise noise = number % 3 == 2 ? Noise::heavy : Noise::gaussian;
        const Case run = draw_case(10'000 + number, noise, number % 3 == 1 ? 4 : 1);
        check_means(run, mean_of(run, seeds), number, ratios);
    }
    ratios.note();
    EXPECT_GT(ratios.largest("D-conf count"), 0.01);
    EXPECT_GT(ratios.largest("C-i"), 0.01);
}

TEST(RandomRuns, TheCertificateOfOneRunCoversItsShare) {
    const std::uint64_t runs = long_runs() ? 20'000 : 1000;
    std::map<Real, Real> missed{{0.05, 0}, {0.5, 0}};
    Real tightest = 0;
    for (std::uint64_t number = 0; number < runs; ++number) {
        Case run =
            draw_case(20'000 + number, number % 2 == 0 ? Noise::heavy : Noise::gaussian, 1 + number % 3);
        const PlayedNoise played = play(run, number);
        for (auto& [p, count] : missed) {
            const Real bound =
                square(std::sqrt(played.first_tests) + run.sigma * std::sqrt(run.time() / p) / run.length());
            count += played.regret > bound ? 1 : 0;
            tightest = std::max(tightest, played.regret / bound);
        }
    }
    for (const auto& [p, count] : missed) {
        RecordProperty("missed_" + std::to_string(p), std::to_string(count));
        EXPECT_LE(count, p * static_cast<Real>(runs));
    }
    RecordProperty("tightest", std::to_string(tightest));
    EXPECT_GT(tightest, 0.3);
}

}  // namespace
}  // namespace proxstream
