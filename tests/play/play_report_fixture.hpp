/// Reports that look like those of plays: matching pennies that go round in a square, rock-paper-scissors
/// that go round in triangles, and a generator that finds the modes of a ring one by one. Every number is a
/// formula.
#pragma once

#include "play/play_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace proxstream::testing {

/// Of every round, with room for `players`.
inline PlayReport empty_play(Index rounds, Index stride, std::vector<std::string> names) {
    PlayReport report;
    report.version = "0.1.0";
    for (Round t = 1; t <= rounds; t += stride) report.rounds.push_back(t);
    for (std::string& name : names) {
        PlayReportPlayer player;
        player.name = std::move(name);
        player.window = 10;
        player.learner = "time-smoothed, window 10";
        report.players.push_back(std::move(player));
    }
    report.settings = {{"window", "10"}, {"tolerance", "0.1"}, {"turns", "simultaneous"}, {"seed", "1"}};
    report.claims = {{.id = "G1",
                      .statement = "every player's smoothed gap is at most (delta + d_t) / w in every round",
                      .left = 0.0298,
                      .right = 0.033,
                      .verdict = Verdict::holds,
                      .explanation = "section 10 of the theory"},
                     {.id = "G2",
                      .statement = "the smoothed gap is below the wanted epsilon",
                      .left = 0.0298,
                      .right = 0.02,
                      .verdict = Verdict::missed},
                     {.id = "G3",
                      .statement = "gradients were within their noise",
                      .verdict = Verdict::not_promised,
                      .explanation = "the oracle is exact"},
                     {.id = report.players[0].name + " C1",
                      .statement = "exit gap r_t <= delta_t/w, every round",
                      .left = 0.0054,
                      .right = 0.0204,
                      .verdict = Verdict::holds}};
    return report;
}

/// Sums up what the players' series say; the first round has no bound.
inline void finish_play(PlayReport& report, Real unfairness) {
    for (Index t = 0; t < report.rounds.size(); ++t) {
        Real gap = 0;
        Real bound = 0;
        Real instant = 0;
        for (const PlayReportPlayer& player : report.players) {
            gap = std::max(gap, player.gap[t]);
            bound = std::max(bound, player.bound[t]);
            instant = std::max(instant, player.instant[t]);
        }
        report.gap.push_back(gap);
        report.gap_bound.push_back(t == 0 ? std::numeric_limits<Real>::quiet_NaN() : bound);
        report.instant_gap.push_back(instant);
        if (t % 25 == 0) {
            report.gain_rounds.push_back(report.rounds[t]);
            report.gains.push_back(unfairness * instant);
        }
    }
    for (PlayReportPlayer& player : report.players) player.bound[0] = std::numeric_limits<Real>::quiet_NaN();
}

inline void add_round(PlayReportPlayer& player, Index t, Real instant, Real cost) {
    const Real wobble = 1 + 0.3 * std::sin(static_cast<Real>(t * t % 101));
    player.instant.push_back(instant);
    player.gap.push_back(0.021 * instant * wobble + 4e-4);
    player.bound.push_back(0.035 * instant + 0.004);
    player.cost.push_back(cost);
}

inline PlayReport pennies_report() {
    PlayReport report = empty_play(5000, 5, {"row", "column"});
    report.title = "Matching pennies";
    report.subtitle = "two players on [-1, 1], simultaneous turns, 5,000 rounds";
    report.command = "proxstream play pennies --window 10 --rounds 5000 --report play.html";
    PlayReportPath path;
    path.title = "row against column";
    path.axes = {"row", "column", ""};
    path.range = {-1, 1, -1, 1};
    for (Index i = 0; i < report.rounds.size(); ++i) {
        const Real angle = 0.045 * static_cast<Real>(i);
        const Real radius = 1.25 * (1 - std::exp(-0.004 * static_cast<Real>(i + 40)));
        const Real x = std::clamp(radius * std::cos(angle), -1.0, 1.0);
        const Real y = std::clamp(radius * std::sin(angle), -1.0, 1.0);
        path.points.push_back({x, y});
        path.rounds.push_back(report.rounds[i]);
        add_round(report.players[0], i, std::abs(y) + 1e-3, x * y);
        add_round(report.players[1], i, std::abs(x) + 1e-3, -x * y);
    }
    for (PlayReportPlayer& player : report.players) {
        player.set = "the interval [-1, 1]";
        player.dimension = 1;
    }
    report.paths.push_back(std::move(path));
    finish_play(report, 2);
    report.findings = {"The smoothed gap met its bound in every round (at most 90 % of it).",
                       "The play itself goes round: a best response to the last play would gain 1.9 of 2."};
    return report;
}

inline PlayReport scissors_report() {
    PlayReport report = empty_play(1200, 1, {"row", "column"});
    report.title = "Rock, paper, scissors";
    report.subtitle = "two players on the simplex, alternating turns, 1,200 rounds";
    for (PlayReportPlayer& player : report.players) {
        player.set = "the simplex";
        player.dimension = 3;
        report.paths.push_back({player.name, true, {"rock", "paper", "scissors"}, {}, {}, {}});
    }
    for (Index i = 0; i < report.rounds.size(); ++i) {
        const Real oscillation = 3 * (1 - std::exp(-0.002 * static_cast<Real>(i)));
        for (Index p = 0; p < 2; ++p) {
            std::array<Real, 3> share{};
            Real sum = 0;
            for (Index k = 0; k < 3; ++k) {
                const Real phase = 0.03 * static_cast<Real>(i) + 0.9 * static_cast<Real>(p) +
                                   2 * std::numbers::pi / 3 * static_cast<Real>(k);
                sum += share[k] = std::exp(oscillation * std::sin(phase));
            }
            report.paths[p].points.push_back({share[1] / sum, share[2] / sum});
            report.paths[p].rounds.push_back(report.rounds[i]);
            add_round(report.players[p], i, std::hypot(share[0] - share[1], share[1] - share[2]) / sum,
                      (p == 0 ? 1 : -1) * (share[0] - share[2]) / sum);
        }
    }
    finish_play(report, 1.5);
    report.findings = {"The smoothed gap met its bound in every round."};
    return report;
}

inline constexpr Index kRingModes = 8;

inline ReportPoint ring_centre(Index mode) {
    const Real angle = 2 * std::numbers::pi * static_cast<Real>(mode) / kRingModes;
    return {2 * std::cos(angle), 2 * std::sin(angle)};
}

/// Point k of a cloud of that spread: sunflower seeds around a centre.
inline ReportPoint seed_point(Index k, Real spread, ReportPoint centre) {
    const Real turn = 2.399963229728653 * static_cast<Real>(k);
    const Real radius =
        spread * std::sqrt(-std::log(std::fmod(0.7548776662466927 * static_cast<Real>(k) + 0.3, 1.0)));
    return {centre[0] + radius * std::cos(turn), centre[1] + radius * std::sin(turn)};
}

inline PlayReport ring_report() {
    PlayReport report = empty_play(6000, 20, {"generator", "discriminator"});
    report.title = "Ring of eight Gaussians";
    report.subtitle = "a generator against a discriminator, 6,000 rounds";
    report.gains_exact = false;
    report.players[0].set = "the box [-3, 3]^338";
    report.players[0].dimension = 338;
    report.players[1].set = "the box [-3, 3]^161";
    report.players[1].dimension = 161;
    for (Index i = 0; i < report.rounds.size(); ++i) {
        const Real late = static_cast<Real>(i) / static_cast<Real>(report.rounds.size());
        const Real wobble = 0.1 * std::sin(0.7 * static_cast<Real>(i));
        add_round(report.players[0], i, 0.5 * std::exp(-2 * late) * (1 + wobble),
                  0.69 + 0.3 * wobble - 0.2 * late);
        add_round(report.players[1], i, 0.8 * std::exp(-1.5 * late) * (1 - wobble), 1.38 - 0.4 * wobble);
    }
    for (Index mode = 0; mode < kRingModes; ++mode) report.mode_centres.push_back(ring_centre(mode));
    for (Index k = 0; k < 400; ++k)
        report.real_points.push_back(seed_point(k, 0.06, ring_centre(k % kRingModes)));
    for (Index frame = 0; frame <= 24; ++frame) {
        PlayReportCloud cloud;
        cloud.round = 1 + 245 * frame;
        const Real late = static_cast<Real>(frame) / 24;
        const Index found = 1 + frame / 4;
        for (Index k = 0; k < 300; ++k) {
            const ReportPoint goal = ring_centre(k % found * 3 % kRingModes);
            cloud.points.push_back(seed_point(k, 0.08 + 0.7 * (1 - late),
                                              {goal[0] * std::sqrt(late), goal[1] * std::sqrt(late)}));
        }
        cloud.modes = static_cast<Real>(found);
        cloud.quality = 0.9 * late * late;
        cloud.divergence = std::log(kRingModes / cloud.modes);
        report.clouds.push_back(std::move(cloud));
    }
    finish_play(report, 0.7);
    report.findings = {"7 of 8 modes are covered at the end; 90 % of what is generated is close to one."};
    return report;
}

}  // namespace proxstream::testing
