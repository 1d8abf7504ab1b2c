/// One learner against one stream that may look at the point before it speaks, judged by its certificate.
#pragma once

#include "front/header_of.hpp"
#include "online/learner.hpp"
#include "regret/tally.hpp"
#include "study/study.hpp"

#include <utility>

#include <fmt/format.h>

namespace proxstream {

struct PlayedRun {
    Certificate certificate;
    bool interrupted = false;

    Real rounds() const { return static_cast<Real>(certificate.summary.totals.rounds); }
};

/// `reveal(t, x_t)` gives f_t; `on_round(report)` is told how the round went.
template <class Record, class Reveal, class OnRound>
PlayedRun play(Learner<Record>& learner, Round rounds, StopFlag stop, Reveal reveal, OnRound on_round) {
    Tally tally(header_of(learner.facts(), learner.decide().size()));
    PlayedRun run;
    for (Round t = 1; t <= rounds; ++t) {
        run.interrupted = stop != nullptr && *stop;
        if (run.interrupted) break;
        const RoundReport report = learner.observe(reveal(t, learner.decide()));
        tally.add(report);
        on_round(report);
    }
    const RunEnding ending = run.interrupted ? RunEnding::interrupted : RunEnding::finished;
    run.certificate = tally.certificate(tally.footer(learner.close(), ending, 0));
    return run;
}

/// Says in the cell's notes what a reader has to know of the run, and whether it was cut short.
inline void note_run(const PlayedRun& run, const std::string& name, CellResult& cell) {
    cell.interrupted = cell.interrupted || run.interrupted;
    const RunTotals& totals = run.certificate.summary.totals;
    if (totals.refused > 0) {
        cell.notes.push_back(
            fmt::format("{}: {} rounds were refused because a loss was not finite", name, totals.refused));
    }
    if (!run.certificate.sound())
        cell.notes.push_back(fmt::format("{}: {}", name, conclusion(run.certificate)));
}

}  // namespace proxstream
