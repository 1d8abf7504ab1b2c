/// An ensemble's certificate: the decision is judged by the window of the active member, and every
/// member keeps its own account.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "core/json.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/naive_ensemble.hpp"
#include "regret/temporary_file.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::EnsemblePlan;
using naive::Plan;
using naive::play_ensemble;
using naive::PlayedEnsemble;

EnsemblePlan usual(Round rounds = 80) {
    EnsemblePlan plan;
    for (const Index w : {1, 3, 8}) {
        Plan member{.n = 2, .w = w, .rounds = rounds};
        member.seed = 4;
        member.model = w == 3 ? naive::Model::mean : naive::Model::previous;
        member.theta = w == 8 ? 0.6 : 1;
        member.refused = {2, 17};
        plan.members.push_back(member);
    }
    plan.members[1].weights = naive::exponential(3, 8);
    return plan;
}

/// The same members and two frozen points, of which the mean is played.
EnsemblePlan averaged(Round rounds = 80, bool tracking = false) {
    EnsemblePlan plan = usual(rounds);
    plan.mean = true;
    plan.tracking = tracking;
    plan.frozen = {{0.2, -0.1}, {1, 1.5}};
    return plan;
}

TEST(Ensemble, GapIsThatOfTheActiveMember) {
    PlayedEnsemble ensemble = play_ensemble(usual());
    const Certificate result = ensemble.live();
    EXPECT_TRUE(result.sound()) << to_text(result);
    for (const Inequality& each : result.inequalities)
        EXPECT_TRUE(kept(each.verdict)) << each.id << to_text(result);
    EXPECT_EQ(result.inequalities.size(), 6U);
    EXPECT_THROW(result.at("C4"), Error);

    // By hand: each member's own exit gap the round before, its own effective length.
    std::vector<Real> left;
    for (const RunHeader& member : ensemble.header.members) left.push_back(member.initial_gap);
    Real regret = 0, right = 0, weighted = 0, loss = 0;
    std::vector<Round> active_member(3);
    Round switches = 0, played = 0;
    std::optional<Index> last;
    for (Index row = 0; row < ensemble.reports.size(); ++row) {
        if (ensemble.reports[row].status == RoundStatus::refused) continue;
        const Index k = ensemble.ensembles[row].active_member;
        const RoundReport& member = ensemble.members[row][k];
        regret += std::pow(member.entry_gap, 2);
        right += std::pow(left[k] + member.variation / ensemble.header.members[k].effective_length, 2);
        loss += member.loss;
        for (Index i = 0; i < 3; ++i) {
            left[i] = ensemble.members[row][i].exit_gap;
            weighted += ensemble.weights[row][i] *
                        (ensemble.members[row][i].loss + ensemble.members[row][i].regulariser);
        }
        ++active_member[k];
        switches += last && *last != k ? 1 : 0;
        last = k;
        ++played;
    }
    EXPECT_NEAR(result.summary.regret, regret, 1e-12);
    EXPECT_NEAR(result.at("C3a").right, right, 1e-12);
    ASSERT_TRUE(result.summary.ensemble);
    EXPECT_EQ(result.summary.ensemble->active_member, active_member);
    EXPECT_EQ(result.summary.ensemble->switches, switches);
    EXPECT_NEAR(result.summary.ensemble->weighted_loss, weighted / static_cast<Real>(played), 1e-12);
    EXPECT_NEAR(result.summary.mean_loss, loss / static_cast<Real>(played), 1e-12);
    const auto best = result.summary.ensemble->best;
    for (const Certificate& member : result.members)
        EXPECT_GE(member.summary.mean_objective, result.members[best].summary.mean_objective);
}

TEST(Ensemble, MembersKeepTheirOwnCertificates) {
    const EnsemblePlan plan = usual();
    const Certificate result = play_ensemble(plan).live();
    ASSERT_EQ(result.members.size(), 3U);
    for (Index k = 0; k < 3; ++k) {
        const Certificate alone = naive::play(plan.members[k]).live();
        EXPECT_EQ(result.members[k].inequalities, alone.inequalities);
        EXPECT_EQ(result.members[k].summary.regret, alone.summary.regret);
        EXPECT_EQ(result.members[k].summary.energy, alone.summary.energy);
        EXPECT_TRUE(kept(result.members[k].at("C6").verdict));
    }
}

TEST(Ensemble, OneMemberIsThatLearner) {
    EnsemblePlan plan = usual();
    plan.members = {plan.members[1]};
    const Certificate ensemble = play_ensemble(plan).live();
    const Certificate alone = naive::play(plan.members[0]).live();
    EXPECT_EQ(ensemble.summary.regret, alone.summary.regret);
    for (const char* id : {"C2", "C3a", "C3b", "C3c"}) {
        EXPECT_EQ(ensemble.at(id).left, alone.at(id).left);
        EXPECT_EQ(ensemble.at(id).right, alone.at(id).right);
    }
    EXPECT_TRUE(kept(ensemble.at("C8").verdict));
}

TEST(Ensemble, LedgerGivesTheSameCertificateBitForBit) {
    TemporaryFile file;
    EnsemblePlan hedge = usual();
    hedge.rate = 0.4;
    EnsemblePlan leader = usual();
    leader.leader = true;
    for (const EnsemblePlan& plan : {usual(0), usual(1), usual(), hedge, leader, averaged(0), averaged(1),
                                     averaged(), averaged(80, true)}) {
        PlayedEnsemble ensemble = play_ensemble(plan);
        LedgerWriter writer(file.name(), ensemble.header);
        for (Index row = 0; row < ensemble.reports.size(); ++row)
            writer.write(ensemble.reports[row], ensemble.extras(row));
        writer.finish(ensemble.footer);
        const Certificate stored = certify(file.name());
        EXPECT_TRUE(stored == ensemble.live());
        EXPECT_EQ(to_json(stored), to_json(ensemble.live()));
        EXPECT_EQ(to_text(stored), to_text(ensemble.live()));
        EXPECT_TRUE(stored.sound()) << to_text(stored);

        LedgerReader reader(file.name());
        EXPECT_TRUE(reader.header() == ensemble.header);
        for (Index row = 0; row < ensemble.reports.size(); ++row) {
            ASSERT_TRUE(reader.next());
            const EnsembleRound* read = reader.extras().ensemble;
            ASSERT_EQ(read == nullptr, ensemble.reports[row].status == RoundStatus::refused);
            if (read == nullptr) continue;
            EXPECT_EQ(read->active_member, ensemble.ensembles[row].active_member);
            EXPECT_EQ(read->rate, ensemble.ensembles[row].rate);
            EXPECT_EQ(read->offset, ensemble.ensembles[row].offset);
            EXPECT_EQ(read->mean_gap, ensemble.ensembles[row].mean_gap);
            const auto copied = [](std::span<const Real> values) {
                return std::vector(values.begin(), values.end());
            };
            EXPECT_EQ(copied(read->weights), ensemble.weights[row]);
            EXPECT_EQ(copied(read->losses), ensemble.losses[row]);
            EXPECT_EQ(copied(read->mixer_losses), ensemble.mixer_losses[row]);
            EXPECT_EQ(copied(read->slopes), ensemble.slopes[row]);
            EXPECT_EQ(read->members[2].round, ensemble.reports[row].round);
            EXPECT_EQ(read->members[2].exit_gap, ensemble.members[row][2].exit_gap);
            EXPECT_EQ(read->members[1].cost, ensemble.members[row][1].cost);
        }
        EXPECT_FALSE(reader.next());
        EXPECT_TRUE(reader.footer() == ensemble.footer);
        std::istringstream lines(file.text());
        for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
}

TEST(Ensemble, OtherSelectionRulesPromiseLess) {
    EnsemblePlan plan = usual();
    plan.leader = true;
    const Certificate leader = play_ensemble(plan).live();
    EXPECT_EQ(leader.at("C8").verdict, Verdict::not_promised);
    EXPECT_LE(leader.at("C8").statement.size(), 46U);
    EXPECT_NE(leader.at("C8").explanation.find("'leader'"), std::string::npos);
}

TEST(Ensemble, FalseReportsAreDetected) {
    PlayedEnsemble ensemble = play_ensemble(usual());
    std::swap(ensemble.weights[30][0], ensemble.weights[30][2]);
    EXPECT_EQ(ensemble.live().at("C8").verdict, Verdict::violated);
    EXPECT_NE(ensemble.live().at("C8").explanation.find("the weights are not those of the rule"),
              std::string::npos);

    ensemble = play_ensemble(usual());
    ensemble.members[30][1].value_change += 1e-6;  // a member that never has to be active
    EXPECT_FALSE(ensemble.live().sound());
    EXPECT_NE(conclusion(ensemble.live()).find("C0 of member member 1"), std::string::npos)
        << conclusion(ensemble.live());
    EXPECT_NE(to_text(ensemble.live()).find("VIOLATED"), std::string::npos);

    ensemble = play_ensemble(usual());
    ensemble.reports[30].loss += 0.1;
    EXPECT_EQ(ensemble.live().at("C2").verdict, Verdict::violated);
    EXPECT_NE(ensemble.live().at("C2").explanation.find("active member"), std::string::npos);

    // The bound is the one of the member's own window: with another's it breaks.
    ensemble = play_ensemble(usual());
    for (RunHeader& member : ensemble.header.members) member.effective_length = 1e3;
    EXPECT_EQ(ensemble.live().at("C3a").verdict, Verdict::violated);
}

TEST(Ensemble, RowsAndFootersFitTheHeader) {
    PlayedEnsemble ensemble = play_ensemble(usual(5));
    const auto refuses = [&](auto spoil, const char* key) {
        PlayedEnsemble bad = ensemble;
        spoil(bad);
        try {
            bad.live();
            ADD_FAILURE() << key << " was accepted";
        } catch (const DataError& error) {
            EXPECT_EQ(error.where().field, std::string("key ") + key);
        }
    };
    refuses([](PlayedEnsemble& b) { b.ensembles[0].active_member = 3; }, "k");
    refuses([](PlayedEnsemble& b) { b.ensembles[0].rate = -1; }, "eps");
    refuses([](PlayedEnsemble& b) { b.ensembles[0].share = 1.5; }, "al");
    refuses([](PlayedEnsemble& b) { b.weights[0][0] += 0.1; }, "p");
    refuses([](PlayedEnsemble& b) { b.weights[0] = {1.5, -0.25, -0.25}; }, "p");
    refuses([](PlayedEnsemble& b) { b.weights[0].push_back(0); }, "p");
    refuses([](PlayedEnsemble& b) { b.members[0].pop_back(); }, "m");
    refuses([](PlayedEnsemble& b) { b.members[0][1].round = 2; }, "m");
    refuses([](PlayedEnsemble& b) { b.losses[0].pop_back(); }, "l");
    refuses([](PlayedEnsemble& b) { b.losses[0][1] = std::nan(""); }, "l");
    refuses([](PlayedEnsemble& b) { b.members[0][1].loss = kInfinity; }, "f");
    refuses([](PlayedEnsemble& b) { b.footer.members.pop_back(); }, "members");
    refuses([](PlayedEnsemble& b) { b.footer.members[1].final_weights.pop_back(); }, "weights");
    refuses(
        [](PlayedEnsemble& b) {
            b.header.members.clear();
            b.header.selection.clear();
        },
        "ensemble");
    Tally tally(ensemble.header);
    EXPECT_THROW(tally.add(ensemble.reports[0]), DataError);  // an ensemble without its members
    PlayedEnsemble totals = ensemble;
    ++totals.footer.members[0].totals.steps;
    EXPECT_THROW(totals.live(), DataError);

    RunHeader nested = ensemble.header;
    nested.members[0].members.push_back(nested.members[1]);
    nested.members[0].selection = "hedge";
    nested.members[1].other_windows = {4};
    nested.members[2].dimension = 5;
    nested.members[2].hysteresis = 2;
    try {
        validate(nested);
        FAIL() << "an impossible ensemble was accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 4U);
    }
}

TEST(Ensemble, TextFitsTheTerminalAndShowsTheActiveMembers) {
    PlayedEnsemble ensemble = play_ensemble(usual());
    for (const Inequality& each : ensemble.live().inequalities) EXPECT_LE(each.statement.size(), 46U);
    ensemble.header.members[0].name = "a name that is much too long for its column";
    const std::string text = to_text(ensemble.live());
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    for (const char* part : {"an ensemble of 3 members, selection draw", "member 2", "active",
                             "Best member in hindsight", "of the active members"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(text.find("paper"), std::string::npos);
    const auto json = nlohmann::json::parse(to_json(ensemble.live()));
    EXPECT_EQ(json["members"].size(), 3U);
    EXPECT_EQ(json["members"][1]["inequalities"].size(), 13U);
    EXPECT_EQ(json["summary"]["ensemble"]["active_rounds"].size(), 3U);
    EXPECT_EQ(json["run"]["selection"], "draw");
    EXPECT_FALSE(to_text(play_ensemble(usual(0)).live()).empty());
}

}  // namespace
}  // namespace proxstream
