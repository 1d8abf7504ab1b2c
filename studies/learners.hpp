/// Learners by their text, on losses that a study generates: functions or rows.
#pragma once

#include "proxstream/loss/function_family.hpp"

#include "online/learner_table.hpp"
#include "regret/regret_meter.hpp"
#include "regret/tally.hpp"
#include "studies/study.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

using LossFunction = FunctionFamily::Record;

/// Lines have no curvature, but a learner has to claim some.
inline constexpr Real kFlat = 1e-9;

struct Setting {
    std::string loss = {};  // of rows of a linear model without intercept; empty: losses are functions
    std::string reg = "zero";
    std::vector<Real> start = {0};
    Real step = 1;                              // eta
    Real smoothness = kFlat;                    // L
    std::optional<CallbackOracle> oracle = {};  // source of gradients; nullopt: by the text
    std::uint64_t max_steps = 100'000'000;      // enough for every round that is meant to end
};

/// The text of Algorithm 1: the window as it is, exit tolerance delta/w, steps of eta. `more` is added to it;
/// with an oracle in it, the text is that of Algorithm 2.
std::string paper_learner(Index window, Real delta, const std::string& more = {});

/// Noisy learners are made even if their rounds may never end.
std::unique_ptr<AnyLearner> make_learner(const Setting& setting, const std::string& text,
                                         std::uint64_t seed = 1);
/// Stationarity gaps of a played sequence for other windows.
RegretMeter<AnyRegulariser, AnyBatch> make_meter(const Setting& setting, const std::vector<Index>& windows);

/// f(x) = slope x on the line.
LossFunction line(Real slope);
/// f(x) = -cos(x - phase) on the line.
LossFunction wave(Real phase);

/// Notes refused rounds and a certificate that does not hold.
void note_certificate(const Certificate& certificate, const std::string& name, Cell& cell);

struct NoReport {
    void operator()(const RoundReport& /*report*/) const {}
};

/// Plays rounds against a stream that may choose f_t after x_t, and notes problems of the run in the cell.
/// `reveal(t, x_t)` returns f_t, `on_round(report)` gets the report of each round.
template <class Reveal, class OnRound = NoReport>
Certificate play(AnyLearner& learner, Round rounds, Cell& cell, const Reveal& reveal,
                 const OnRound& on_round = {}) {
    Tally tally(learner.facts());
    for (Round t = 1; t <= rounds && !cell.interrupted; ++t) {
        const auto& loss = reveal(t, learner.decide());
        const RoundReport report = learner.observe(loss);
        tally.add(report);
        on_round(report);
        cell.share(static_cast<Real>(t), static_cast<Real>(rounds));
        cell.interrupted = cell.stopped();
    }
    const RunEnding ending = cell.interrupted ? RunEnding::interrupted : RunEnding::finished;
    Certificate certificate = tally.certificate(tally.footer(learner.close(), ending, 0));
    note_certificate(certificate, cell.method().name, cell);
    return certificate;
}

}  // namespace proxstream
