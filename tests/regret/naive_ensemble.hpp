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

inline std::vector<RoundReport> reports_of(const std::vector<Played>& runs, Index row) {
    std::vector<RoundReport> reports;
    for (const Played& run : runs) reports.push_back(run.reports[row]);
    return reports;
}

struct RoundLists {
    std::vector<Real> weights, losses, mixer_losses, slopes;
};

/// Adds a round. The ensemble pays for all members.
inline void append(PlayedEnsemble& ensemble, RoundReport report, const EnsembleRound& round,
                   std::vector<RoundReport> members, const RoundLists& lists) {
    report.cost = {};
    report.referee_cost = {};
    report.steps = 0;
    for (const RoundReport& member : members) {
        report.cost += member.cost;
        report.referee_cost += member.referee_cost;
        report.steps += member.steps;
    }
    RunTotals& totals = ensemble.footer.totals;
    ++(report.status == RoundStatus::refused ? totals.refused : totals.rounds);
    totals.steps += report.steps;
    totals.cost += report.cost;
    totals.referee_cost += report.referee_cost;
    ensemble.reports.push_back(report);
    ensemble.weights.push_back(lists.weights);
    ensemble.losses.push_back(lists.losses);
    ensemble.mixer_losses.push_back(lists.mixer_losses);
    ensemble.slopes.push_back(lists.slopes);
    ensemble.members.push_back(std::move(members));
    ensemble.ensembles.push_back(round);
}

/// The weights of an ensemble that draws a member, or follows the best so far.
struct DrawWeights {
    DrawWeights(const EnsemblePlan& rules, Index count)
        : plan(rules), p(count, 1 / static_cast<Real>(count)), sums(count) {}

    void learn(const std::vector<Real>& losses, Round t, EnsembleRound& round) {
        for (Index k = 0; k < p.size(); ++k) sums[k] += losses[k];
        if (plan.leader) {
            std::fill(p.begin(), p.end(), 0);
            p[static_cast<Index>(std::min_element(sums.begin(), sums.end()) - sums.begin())] = 1;
            return;
        }
        round.share = plan.rate > 0 ? 0 : plan.share / static_cast<Real>(t);
        const Real complexity = 5 * std::log(static_cast<Real>(p.size()) / (plan.share / 100));
        scale = plan.rate > 0 ? 1 / plan.rate : std::max({scale, gap / complexity, 1e-6});
        round.rate = 1 / scale;
        gap += static_cast<Real>(next_weights(p, losses, round.rate, round.share));
    }

    const EnsemblePlan& plan;
    std::vector<Real> p, sums;
    Real gap = 0, scale = 0;
};

/// The header of an ensemble, without its members.
inline RunHeader header_of(const std::vector<Played>& runs, std::string selection) {
    RunHeader header = runs.back().header;
    header.settings = {{"learner", "naive ensemble"}};
    header.window_text = "auto";
    header.selection = std::move(selection);
    return header;
}

/// `runs` are those of the members.
inline PlayedEnsemble play_ensemble(const EnsemblePlan& plan, const std::vector<Played>& runs) {
    PlayedEnsemble ensemble;
    const Index count = runs.size();
    ensemble.header = header_of(runs, plan.leader ? "leader" : plan.rate > 0 ? "hedge" : "draw");
    for (Index k = 0; k < count; ++k) {
        ensemble.header.members.push_back(runs[k].header);
        ensemble.header.members.back().name = "member " + std::to_string(k);
    }
    DrawWeights weights(plan, count);
    for (Index row = 0; row < runs[0].reports.size(); ++row) {
        const std::vector<RoundReport> members = reports_of(runs, row);
        const Round t = members[0].round;
        EnsembleRound round;
        round.active_member = t % 7 == 0 ? t % count : (t / 10 + 1) % count;  // any rule will do
        const RoundReport& report = members[round.active_member];
        RoundLists lists;
        lists.weights = weights.p;
        if (report.status != RoundStatus::refused) {
            for (const RoundReport& member : members)
                lists.losses.push_back(member.loss + member.regulariser);
            weights.learn(lists.losses, t, round);
        }
        append(ensemble, report, round, members, lists);
    }
    finish_ensemble(ensemble, runs);
    return ensemble;
}

inline Point mean_point(const Longs& p, const std::vector<Point>& points) {
    Point z(points[0].size());
    for (Index j = 0; j < z.size(); ++j) {
        Long sum = 0;
        for (Index k = 0; k < points.size(); ++k) sum += p[k] * points[k][j];
        z[j] = static_cast<Real>(sum);
    }
    return z;
}

inline RunHeader mean_header(const EnsemblePlan& plan, const std::vector<Played>& runs) {
    RunHeader header =
        header_of(runs, plan.tracking ? "mean:mixers=losses/gradients/clipped/tracking" : "mean");
    RunHeader frozen;
    frozen.dimension = header.dimension;
    frozen.reference_step = header.reference_step;
    frozen.measured = false;
    header.members.assign(plan.frozen.size(), frozen);
    for (const Played& run : runs) header.members.push_back(run.header);
    for (Index k = 0; k < header.members.size(); ++k) header.members[k].name = "member " + std::to_string(k);
    return header;
}

/// One round of the mean: points, losses and slopes from the definitions, weights in extended precision.
class MeanPlay {
  public:
    MeanPlay(const EnsemblePlan& plan, const std::vector<Played>& runs)
        : plan_(plan),
          runs_(runs),
          twin_(MixtureTwin::even(plan.frozen.size() + runs.size()), true, true, plan.tracking, 4) {}

    RoundReport play(const std::vector<RoundReport>& members, EnsembleRound& round, RoundLists& lists) {
        const Loss& f = runs_[0].losses[played_];
        std::vector<Point> points = plan_.frozen;
        for (const Played& run : runs_) points.push_back(run.points[played_]);
        ++played_;
        for (const Long weight : twin_.weights()) lists.weights.push_back(static_cast<Real>(weight));
        for (const Point& x : plan_.frozen) lists.losses.push_back(f.value(x) + runs_[0].g(x));
        for (const RoundReport& member : members) lists.losses.push_back(member.loss + member.regulariser);
        judge_mixers(f, points, lists);
        const Index frozen = plan_.frozen.size();
        const auto first = lists.weights.begin();
        const auto heaviest =
            std::max_element(first + static_cast<std::ptrdiff_t>(frozen), lists.weights.end());
        round.active_member = static_cast<Index>(heaviest - first);
        RoundReport report = members[round.active_member - frozen];
        const Point z = mean_point(twin_.weights(), points);
        report.loss = f.value(z);
        report.regulariser = runs_[0].g(z);
        round.offset = length(difference(z, points[round.active_member]));
        if (played_ % 5 == 0) round.mean_gap = 0.01 * static_cast<Real>(played_);
        twin_.learn(longs(lists.losses), longs(lists.slopes), longs(lists.mixer_losses));
        return report;
    }

  private:
    void judge_mixers(const Loss& f, const std::vector<Point>& points, RoundLists& lists) {
        for (const Longs& p : twin_.mixers()) {
            const Point z = mean_point(p, points);
            lists.mixer_losses.push_back(f.value(z) + runs_[0].g(z));
            if (lists.mixer_losses.size() != 2) continue;
            const Point gradient = f.gradient(z);
            for (const Point& x : points) {
                Real slope = 0;
                for (Index j = 0; j < z.size(); ++j) slope += gradient[j] * (z[j] - x[j]);
                lists.slopes.push_back(slope);
            }
        }
    }

    const EnsemblePlan& plan_;
    const std::vector<Played>& runs_;
    MixtureTwin twin_;
    Round played_ = 0;
};

inline PlayedEnsemble play_mean(const EnsemblePlan& plan, const std::vector<Played>& runs) {
    PlayedEnsemble ensemble;
    ensemble.header = mean_header(plan, runs);
    MeanPlay mean(plan, runs);
    for (Index row = 0; row < runs[0].reports.size(); ++row) {
        const std::vector<RoundReport> members = reports_of(runs, row);
        EnsembleRound round;
        RoundLists lists;
        RoundReport report = members[0];
        if (report.status != RoundStatus::refused) report = mean.play(members, round, lists);
        append(ensemble, report, round, members, lists);
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
