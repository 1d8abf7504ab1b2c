/// Random runs of weighted windows: what is drawn, how it is played, and what is left of it to be checked.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/linear_family.hpp"
#include "online/learner_table.hpp"
#include "regret/tally.hpp"
#include "theory/window_definitions.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace proxstream::defined {

using naive::along;
using naive::inner;
using naive::length;

/// Reproducible choices of one run.
class Dice {
  public:
    explicit Dice(std::uint64_t run) : run_(run) {}
    Real real(Real low, Real high) { return low + (high - low) * uniform({50, run_, 0, 0, next_++}); }
    Index from(Index low, Index high) {
        return low + uniform_below({51, run_, 0, 0, next_++}, high - low + 1);
    }
    Real gauss() { return normal({52, run_, 0, 0, next_++}); }
    bool one_in(Index n) { return from(1, n) == 1; }

  private:
    std::uint64_t run_;
    std::uint64_t next_ = 0;
};

struct Case {
    Index dimension = 1;
    Round rounds = 0;
    Window judge;
    std::string model = "previous";
    Index lag = 0;
    Penalty penalty;
    std::string inner;
    Tolerance tolerance = Tolerance::fixed(1);
    bool steady = true;  // a fixed tolerance
    Real hysteresis = 1, switching = 0, proximal = 0, step = 1, smoothness = 1;
    Real effective_length = 1;
    Vector start;
    std::vector<Robust> losses, forecasts;  // of rounds 1..T+1, from index 1

    bool forecast() const { return model == "forecast"; }
    std::string text() const {
        return judge.text + ", model " + model + ", " + penalty.text + ", " + inner +
               ", theta = " + std::to_string(hysteresis) + ", kappa_0 = " + std::to_string(switching) +
               ", mu = " + std::to_string(proximal) + ", n = " + std::to_string(dimension);
    }
};

inline Window draw_window(Dice& dice) {
    switch (dice.from(0, 5)) {
        case 0:
            return box(dice.from(1, 16));
        case 1:
            return exponential(dice.from(2, 8), dice.from(1, 20));
        case 2:
            return triangle(dice.from(1, 16));
        case 3: {
            const Index longest = dice.from(1, 14);
            return running_mean(longest, dice.from(1, std::max<Index>(longest - 1, 1)));
        }
        case 4:
            return season(dice.from(1, 6), dice.from(1, 4));
        default: {
            Vector weights(dice.from(1, 12));
            Real total = 0;
            for (Real& weight : weights) total += weight = dice.one_in(4) ? 0 : dice.real(0, 1);
            weights.back() += 0.1;
            const Real mass = dice.one_in(2) ? 1 : dice.real(0.2, 1);
            for (Real& weight : weights) weight *= mass / (total + 0.1);
            return listed(weights);
        }
    }
}

/// Where the target of round t lies, for the streams of the notes.
inline Vector target(Index stream, Round t, const std::vector<Vector>& centres) {
    const Real time = static_cast<Real>(t);
    switch (stream) {
        case 0:  // independent
            return centres[0];
        case 1:  // drift
            return along(along(Vector(centres[0].size()), std::cos(0.05 * time), centres[0]),
                         std::sin(0.05 * time), centres[1]);
        case 2:  // switches
            return centres[t / 25 % centres.size()];
        case 3:  // alternation
            return along(Vector(centres[0].size()), t % 2 == 0 ? 1 : -1, centres[0]);
        default:  // season
            return centres[t % 12 % centres.size()];
    }
}

inline void draw_stream(Dice& dice, Case& run) {
    std::vector<Vector> centres(4, Vector(run.dimension));
    for (Vector& centre : centres) {
        for (Real& entry : centre) entry = dice.gauss();
    }
    const Index stream = dice.from(0, 4);
    const Real noise = dice.real(0, 0.5);
    const Real miss = dice.one_in(3) ? 0 : dice.real(0, 0.5);
    const Real scale = dice.real(0.5, 2) / std::sqrt(static_cast<Real>(run.dimension));
    run.losses.resize(run.rounds + 2);
    run.forecasts.resize(run.rounds + 2);
    run.smoothness = 0;
    for (Round t = 1; t <= run.rounds + 1; ++t) {
        Robust& loss = run.losses[t];
        for (Index i = 0; i < run.dimension; ++i) loss.a.push_back(scale * dice.gauss());
        loss.y = inner(loss.a, target(stream, t, centres)) + noise * dice.gauss();
        run.forecasts[t] = loss;
        run.forecasts[t].y += miss * dice.gauss();
        run.smoothness = std::max(run.smoothness, inner(loss.a, loss.a));
    }
}

inline Case draw_case(Dice& dice) {
    Case run;
    run.dimension = dice.from(1, 12);
    run.rounds = dice.from(60, 150);
    run.judge = draw_window(dice);
    run.lag = 0;
    constexpr const char* kModels[] = {"previous", "previous", "mean", "zero", "season", "forecast"};
    run.model = kModels[dice.from(0, 5)];
    if (run.model == "season") {
        run.lag = dice.from(1, 14);
        run.model += ":" + std::to_string(run.lag);
    }
    static const std::vector<Penalty> kinds = penalties();
    run.penalty = kinds[dice.from(0, kinds.size() - 1)];
    constexpr const char* kInner[] = {"prox-grad", "backtracking", "panoc", "auto", "blocks"};
    run.inner = kInner[dice.from(0, 4)];
    draw_stream(dice, run);
    run.step = dice.real(0.2, run.inner == "prox-grad" ? 1.9 : 4) / run.smoothness;
    run.effective_length = run.judge.effective_length();
    run.steady = !dice.one_in(3);
    run.tolerance = run.steady ? Tolerance::fixed(run.effective_length * std::exp(dice.real(-4.5, -1)))
                               : Tolerance::automatic(dice.real(0.3, 2));
    if (dice.one_in(2)) run.hysteresis = dice.real(0.2, 1);
    if (dice.one_in(3)) run.switching = dice.real(0.01, 1);
    run.start.assign(run.dimension, 1 / static_cast<Real>(run.dimension));
    if (!run.penalty.centred) {
        for (Real& x : run.start) x = dice.real(-0.6, 0.8);
    }
    if (dice.one_in(4)) run.proximal = run.smoothness * std::exp(dice.real(-5, 2));
    return run;
}

inline RowBlock row_of(const Robust& loss) {
    RowBlock record;
    record.add_dense(loss.a, loss.y);
    return record;
}

inline LearnerConfig parts_of(const Case& run) {
    const auto family =
        std::make_shared<LinearFamily>(ScalarLoss{ScalarFormula::geman_mcclure, 1}, run.dimension, false);
    return {.g = parse_regulariser(run.penalty.text),
            .make_batch = [family](Index capacity) { return family->make_batch(capacity); },
            .make_forecasts = [family] { return family->make_batch(2); },
            .start = run.start,
            .window = run.judge.text,
            .model = ForecastRule::parse(run.model),
            .hysteresis = run.hysteresis,
            .switching = run.switching,
            .proximal = {.named = run.proximal},
            .step = run.step,
            .smoothness = run.smoothness,
            .tolerance = run.tolerance,
            .budget = {.max_steps = 5000},
            .inner = run.inner};
}

struct Played {
    std::vector<Vector> points{{}};        // x_1..x_{T+1}, from index 1
    std::vector<RoundReport> reports{{}};  // of rounds 1..T
    Certificate certificate;
};

inline Played play(AnyLearner& learner, const Case& run) {
    Tally tally(learner.facts());
    Played played;
    const auto note = [&] { played.points.emplace_back(learner.decide().begin(), learner.decide().end()); };
    note();
    for (Round t = 1; t <= run.rounds; ++t) {
        if (run.forecast()) learner.expect(row_of(run.forecasts[t + 1]));
        played.reports.push_back(learner.observe(row_of(run.losses[t])));
        tally.add(played.reports.back());
        note();
    }
    played.certificate = tally.certificate(tally.footer(learner.close(), RunEnding::finished, 0));
    return played;
}

}  // namespace proxstream::defined
