#include "play/play_measures.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

Real largest(std::span<const SeatFigures> seats, Real SeatFigures::*figure) {
    Real most = 0;
    for (const SeatFigures& seat : seats) {
        if (std::isnan(seat.*figure)) return kNotKnown;
        most = std::max(most, seat.*figure);
    }
    return most;
}

}  // namespace

PlayMeasures::PlayMeasures(const PlaySettings& settings, const PlayPlan& plan, const GamePlay& play)
    : referee_(play.game(), reference_steps(plan), referee_windows(play),
               {.samples = settings.measure_samples}),
      rounds_(settings.rounds),
      sampled_(plan.sampled),
      instants_(play.players()),
      gains_(play.players()),
      measures_{kNotKnown, kNotKnown, kNotKnown, kNotKnown, kNotKnown, false} {
    const Index hundredth = std::max<Index>(1, settings.rounds / 100);
    const auto given = [](Index every, Index usual) { return every > 0 ? every : usual; };
    measure_every_ = given(settings.measure_every, sampled_ ? hundredth : 1);
    responses_every_ = given(settings.responses_every, hundredth);
    for (Index i = 0; i < play.players(); ++i) {
        const auto& noise = play.learner(i).facts().noise;
        refereed_.push_back(noise && !noise->refereed ? 0 : 1);
    }
}

void PlayMeasures::measure(const GamePlay& play, const GameTally& tally, const GameRound& round,
                           RoundFigures& figures) {
    const bool measured = due(measure_every_, figures.round);
    for (Index i = 0; i < play.players(); ++i) {
        if (refereed_[i] == 0) referee_.observe(i, play.record(i));
    }
    if (measured) measure_instants(round.joint);
    for (Index i = 0; i < play.players(); ++i) {
        const RoundReport& report = round.reports[i];
        SeatFigures& seat = figures.seats[i];
        if (measured) seat.instant = instants_[i];
        if (refereed_[i] != 0) {
            seat.gap = report.entry_gap;
            seat.variation = report.variation;
            seat.regret = tally.player(i).regret();
            seat.bound = tally.bound(i);
        } else if (measured) {
            seat.gap = referee_.smoothed_gap(i, play.layout().block(round.joint, i));
        }
        seat.cost = report.loss + report.regulariser;
        seat.steps = report.steps;
        seat.base_samples = report.cost.base_samples;
    }
    figures.gap = largest(figures.seats, &SeatFigures::gap);
    figures.gap_bound = largest(figures.seats, &SeatFigures::bound);
    figures.instant_gap = largest(figures.seats, &SeatFigures::instant);
    const bool responded = !sampled_ && due(responses_every_, figures.round);
    if (responded) {
        measure_gains(round.joint);
        figures.gain = measures_.gain_last;
        figures.gain_exact = measures_.gain_exact;
    }
    last_.joint.assign(round.joint.begin(), round.joint.end());
    last_.measured = measured;
    last_.responded = responded;
}

void PlayMeasures::measure_instants(ConstView joint) {
    referee_.instant_gaps(joint, instants_);
    instant_gaps_.add(*std::max_element(instants_.begin(), instants_.end()));
}

void PlayMeasures::measure_gains(ConstView joint) {
    referee_.gains(joint, gains_);
    measures_.gain_last = sum(gains_);
    measures_.gain_exact = referee_.gains_exact();
}

GameMeasures PlayMeasures::all() {
    const QuantileSketch gaps_so_far = instant_gaps_;
    const GameMeasures so_far = measures_;
    if (!last_.joint.empty() && !last_.measured) measure_instants(last_.joint);
    if (!last_.joint.empty() && !last_.responded && !sampled_) measure_gains(last_.joint);
    GameMeasures measures = std::exchange(measures_, so_far);
    const QuantileSketch gaps = std::exchange(instant_gaps_, gaps_so_far);
    if (gaps.count() == 0) return measures;
    measures.instant_last = gaps.last();
    measures.instant_smallest = gaps.smallest();
    measures.instant_largest = gaps.largest();
    measures.instant_median = gaps.at_rank(gaps.count() / 2);
    return measures;
}

void PlayMeasures::serialise(StateArchive& archive) {
    archive.fields(Field{"referee", referee_}, Field{"instant gaps", instant_gaps_},
                   Field{"gain", measures_.gain_last}, Field{"gain is exact", measures_.gain_exact},
                   Field{"last play", last_.joint}, Field{"measured", last_.measured},
                   Field{"responded", last_.responded});
}

}  // namespace proxstream
