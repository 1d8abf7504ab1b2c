/// A bank written as plainly as the formulas: naive learners on one stream, and weights over them.
#pragma once

#include "regret/naive_run.hpp"

#include <deque>

namespace proxstream::naive {

struct BankPlan {
    std::vector<Plan> members;  // of one seed: they see the same losses
    Real share = 0.02;          // al; falls as al/t
    Real rate = 0;              // of hedge; 0: AdaShare's, C/max(D, smallest)
    bool leader = false;        // follows the best so far instead, without weights
    bool mean = false;          // reports an offset: another point was played
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

struct PlayedBank {
    RunHeader header;
    std::vector<RoundReport> reports;
    std::vector<std::vector<Real>> weights;
    std::vector<std::vector<RoundReport>> members;
    std::vector<BankRound> banks;
    RunFooter footer;

    RowExtras extras(Index row) {
        banks[row].weights = weights[row];
        banks[row].members = members[row];
        RowExtras extras;
        if (reports[row].status != RoundStatus::refused) extras.bank = &banks[row];
        return extras;
    }
    Certificate live() {
        Tally tally(header);
        for (Index row = 0; row < reports.size(); ++row) tally.add(reports[row], extras(row));
        return tally.certificate(footer);
    }
};

/// `runs` are those of the members.
inline PlayedBank play_bank(const BankPlan& plan, const std::vector<Played>& runs) {
    PlayedBank bank;
    const Index count = runs.size();
    bank.header = runs.back().header;
    bank.header.settings = {{"learner", "naive bank"}};
    bank.header.window_text = "auto";
    bank.header.play = plan.leader ? "leader" : plan.mean ? "mean" : plan.rate > 0 ? "hedge" : "adashare";
    for (Index k = 0; k < count; ++k) {
        bank.header.members.push_back(runs[k].header);
        bank.header.members.back().name = "member " + std::to_string(k);
    }
    std::vector<Real> p(count, 1 / static_cast<Real>(count)), sums(count);
    Real gap = 0, scale = 0;
    for (Index row = 0; row < runs[0].reports.size(); ++row) {
        std::vector<RoundReport> members;
        for (const Played& run : runs) members.push_back(run.reports[row]);
        const Round t = members[0].round;
        BankRound round;
        round.in_charge = t % 7 == 0 ? t % count : (t / 10 + 1) % count;  // any rule will do
        RoundReport report = members[round.in_charge];
        report.cost = {};
        report.referee_cost = {};
        report.steps = 0;
        for (const RoundReport& member : members) {
            report.cost += member.cost;
            report.referee_cost += member.referee_cost;
            report.steps += member.steps;
        }
        bank.weights.push_back(p);
        if (report.status != RoundStatus::refused) {
            if (plan.mean) {
                round.offset = 0.25;
                round.spread = 0.1;
                report.loss += 1;
            }
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
            ++bank.footer.totals.rounds;
        } else {
            ++bank.footer.totals.refused;
        }
        bank.footer.totals.steps += report.steps;
        bank.footer.totals.cost += report.cost;
        bank.footer.totals.referee_cost += report.referee_cost;
        bank.reports.push_back(report);
        bank.members.push_back(std::move(members));
        bank.banks.push_back(round);
    }
    bank.footer.final_regulariser = runs.back().footer.final_regulariser;
    bank.footer.seconds = 0.5;
    for (const Played& run : runs) {
        RunFooter member = run.footer;
        member.totals.cost = {};  // of a refused round the bank pays
        for (const RoundReport& report : run.reports) {
            if (report.status != RoundStatus::refused) member.totals.cost += report.cost;
        }
        member.seconds = 0;
        bank.footer.members.push_back(std::move(member));
    }
    return bank;
}

inline PlayedBank play_bank(const BankPlan& plan) {
    std::vector<Played> runs;
    for (const Plan& member : plan.members) runs.push_back(play(member));
    return play_bank(plan, runs);
}

}  // namespace proxstream::naive
