/// An ensemble written as plainly as the formulas: naive learners on one stream, and weights over them.
#pragma once

#include "regret/naive_run.hpp"
#include "support/naive_mixture.hpp"

#include <deque>

namespace proxstream::naive {

using mixing::Long;
using mixing::Longs;
using mixing::longs;
using mixing::MixtureTwin;

struct EnsemblePlan {
    std::vector<Plan> members;       // of one seed: they see the same losses
    Real share = 0.02;               // al; falls as al/t
    Real rate = 0;                   // of hedge; 0: AdaShare's, C/max(D, smallest)
    bool leader = false;             // follows the best so far instead, without weights
    bool mean = false;               // plays the mean of the members
    bool tracking = false;           // with a mixer that tracks
    std::vector<Point> frozen = {};  // members without a window, which never move
};

/// l_t(k) of every round and member, for the rules alone.
using Losses = std::vector<std::vector<Real>>;

/// One round of the rule, in extended precision: p_{t+1} from p_t. Returns <p, l> - m.
inline long double next_weights(std::vector<Real>& p, const std::vector<Real>& l, Real rate, Real share) {
    const Real least = *std::min_element(l.begin(), l.end());
    std::vector<long double> q(p.size());
    long double all = 0, mean = 0;
    for (Index k = 0; k < p.size(); ++k) {
        const long double above = static_cast<long double>(l[k]) - least;
        q[k] = p[k] * std::exp(-rate * above);
        all += q[k];
        mean += p[k] * above;
    }
    for (Index k = 0; k < p.size(); ++k)
        p[k] = static_cast<Real>((1 - share) * (q[k] / all) + share / static_cast<long double>(p.size()));
    return mean + std::log(all) / rate;
}

struct PlayedEnsemble {
    RunHeader header;
    std::vector<RoundReport> reports;
    std::vector<std::vector<Real>> weights, losses, mixer_losses, slopes;
    std::vector<std::vector<RoundReport>> members;
    std::vector<EnsembleRound> ensembles;
    RunFooter footer;

    RowExtras extras(Index row) {
        ensembles[row].weights = weights[row];
        ensembles[row].losses = losses[row];
        ensembles[row].mixer_losses = mixer_losses[row];
        ensembles[row].slopes = slopes[row];
        ensembles[row].members = members[row];
        RowExtras extras;
        if (reports[row].status != RoundStatus::refused) extras.ensemble = &ensembles[row];
        return extras;
    }
    Certificate live() {
        Tally tally(header);
        for (Index row = 0; row < reports.size(); ++row) tally.add(reports[row], extras(row));
        return tally.certificate(footer);
    }
};

inline void finish_ensemble(PlayedEnsemble& ensemble, const std::vector<Played>& runs) {
    ensemble.footer.final_regulariser = runs.back().footer.final_regulariser;
    ensemble.footer.seconds = 0.5;
    for (const Played& run : runs) {
        RunFooter member = run.footer;
        member.totals.cost = {};  // of a refused round the ensemble pays
        for (const RoundReport& report : run.reports) {
            if (report.status != RoundStatus::refused) member.totals.cost += report.cost;
        }
        member.seconds = 0;
        ensemble.footer.members.push_back(std::move(member));
    }
}

/// `runs` are those of the members.
inline PlayedEnsemble play_ensemble(const EnsemblePlan& plan, const std::vector<Played>& runs) {
    PlayedEnsemble ensemble;
    const Index count = runs.size();
    ensemble.header = runs.back().header;
    ensemble.header.settings = {{"learner", "naive bank"}};
    ensemble.header.window_text = "auto";
    ensemble.header.play = plan.leader ? "leader" : plan.rate > 0 ? "hedge" : "draw";
    for (Index k = 0; k < count; ++k) {
        ensemble.header.members.push_back(runs[k].header);
        ensemble.header.members.back().name = "member " + std::to_string(k);
    }
    std::vector<Real> p(count, 1 / static_cast<Real>(count)), sums(count);
    Real gap = 0, scale = 0;
    for (Index row = 0; row < runs[0].reports.size(); ++row) {
        std::vector<RoundReport> members;
        for (const Played& run : runs) members.push_back(run.reports[row]);
        const Round t = members[0].round;
        EnsembleRound round;
        round.active_member = t % 7 == 0 ? t % count : (t / 10 + 1) % count;  // any rule will do
        RoundReport report = members[round.active_member];
        report.cost = {};
        report.referee_cost = {};
        report.steps = 0;
        for (const RoundReport& member : members) {
            report.cost += member.cost;
            report.referee_cost += member.referee_cost;
            report.steps += member.steps;
        }
        ensemble.weights.push_back(p);
        if (report.status != RoundStatus::refused) {
            std::vector<Real> losses;
            for (Index k = 0; k < count; ++k) {
                losses.push_back(members[k].loss + members[k].regulariser);
                sums[k] += losses[k];
            }
            if (plan.leader) {
                std::fill(p.begin(), p.end(), 0);
                p[static_cast<Index>(std::min_element(sums.begin(), sums.end()) - sums.begin())] = 1;
            } else {
                round.share = plan.rate > 0 ? 0 : plan.share / static_cast<Real>(t);
                const Real complexity = 5 * std::log(static_cast<Real>(count) / (plan.share / 100));
                scale = plan.rate > 0 ? 1 / plan.rate : std::max({scale, gap / complexity, 1e-6});
                round.rate = 1 / scale;
                gap += static_cast<Real>(next_weights(p, losses, round.rate, round.share));
            }
            ensemble.losses.push_back(losses);
            ++ensemble.footer.totals.rounds;
        } else {
            ensemble.losses.emplace_back();
            ++ensemble.footer.totals.refused;
        }
        ensemble.mixer_losses.emplace_back();
        ensemble.slopes.emplace_back();
        ensemble.footer.totals.steps += report.steps;
        ensemble.footer.totals.cost += report.cost;
        ensemble.footer.totals.referee_cost += report.referee_cost;
        ensemble.reports.push_back(report);
        ensemble.members.push_back(std::move(members));
        ensemble.ensembles.push_back(round);
    }
    finish_ensemble(ensemble, runs);
    return ensemble;
}

/// Plays the mean: points, losses and slopes from the definitions, weights in extended precision.
inline PlayedEnsemble play_mean(const EnsemblePlan& plan, const std::vector<Played>& runs) {
    PlayedEnsemble ensemble;
    const Index frozen = plan.frozen.size(), count = frozen + runs.size();
    ensemble.header = runs.back().header;
    ensemble.header.settings = {{"learner", "naive ensemble"}};
    ensemble.header.window_text = "auto";
    ensemble.header.play = plan.tracking ? "mean:mixers=losses/gradients/clipped/tracking" : "mean";
    for (Index k = 0; k < count; ++k) {
        RunHeader member;
        if (k < frozen) {
            member.dimension = ensemble.header.dimension;
            member.reference_step = ensemble.header.reference_step;
            member.measured = false;
        } else {
            member = runs[k - frozen].header;
        }
        member.name = "member " + std::to_string(k);
        ensemble.header.members.push_back(member);
    }
    MixtureTwin twin(MixtureTwin::even(count), true, true, plan.tracking, 4);
    Round played = 0;
    for (Index row = 0; row < runs[0].reports.size(); ++row) {
        std::vector<RoundReport> members;
        for (const Played& run : runs) members.push_back(run.reports[row]);
        EnsembleRound round;
        RoundReport report = members[0];
        std::vector<Real> weights, losses, mixer_losses, slopes;
        if (report.status != RoundStatus::refused) {
            const Loss& f = runs[0].losses[played];
            std::vector<Point> points = plan.frozen;
            for (const Played& run : runs) points.push_back(run.points[played]);
            ++played;
            const auto mean = [&](const Longs& p) {
                Point z(points[0].size());
                for (Index j = 0; j < z.size(); ++j) {
                    Long sum = 0;
                    for (Index k = 0; k < count; ++k) sum += p[k] * points[k][j];
                    z[j] = static_cast<Real>(sum);
                }
                return z;
            };
            for (const Long weight : twin.weights()) weights.push_back(static_cast<Real>(weight));
            for (Index k = 0; k < count; ++k) {
                losses.push_back(k < frozen ? f.value(points[k]) + runs[0].g(points[k])
                                            : members[k - frozen].loss + members[k - frozen].regulariser);
            }
            for (const Longs& p : twin.mixers()) {
                const Point z = mean(p);
                mixer_losses.push_back(f.value(z) + runs[0].g(z));
                if (mixer_losses.size() != 2) continue;
                const Point gradient = f.gradient(z);
                for (const Point& x : points) {
                    Real slope = 0;
                    for (Index j = 0; j < z.size(); ++j) slope += gradient[j] * (z[j] - x[j]);
                    slopes.push_back(slope);
                }
            }
            round.active_member = static_cast<Index>(
                std::max_element(weights.begin() + static_cast<std::ptrdiff_t>(frozen), weights.end()) -
                weights.begin());
            report = members[round.active_member - frozen];
            const Point z = mean(twin.weights());
            report.loss = f.value(z);
            report.regulariser = runs[0].g(z);
            round.offset = length(difference(z, points[round.active_member]));
            if (played % 5 == 0) round.mean_gap = 0.01 * static_cast<Real>(played);
            twin.learn(longs(losses), longs(slopes), longs(mixer_losses));
        }
        report.cost = {};
        report.referee_cost = {};
        report.steps = 0;
        for (const RoundReport& member : members) {
            report.cost += member.cost;
            report.referee_cost += member.referee_cost;
            report.steps += member.steps;
        }
        ++(report.status == RoundStatus::refused ? ensemble.footer.totals.refused
                                                 : ensemble.footer.totals.rounds);
        ensemble.footer.totals.steps += report.steps;
        ensemble.footer.totals.cost += report.cost;
        ensemble.footer.totals.referee_cost += report.referee_cost;
        ensemble.reports.push_back(report);
        ensemble.weights.push_back(weights);
        ensemble.losses.push_back(losses);
        ensemble.mixer_losses.push_back(mixer_losses);
        ensemble.slopes.push_back(slopes);
        ensemble.members.push_back(std::move(members));
        ensemble.ensembles.push_back(round);
    }
    finish_ensemble(ensemble, runs);
    return ensemble;
}

inline PlayedEnsemble play_ensemble(const EnsemblePlan& plan) {
    std::vector<Played> runs;
    for (const Plan& member : plan.members) runs.push_back(play(member));
    return plan.mean ? play_mean(plan, runs) : play_ensemble(plan, runs);
}

}  // namespace proxstream::naive
