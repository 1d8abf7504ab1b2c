/// A bank's certificate: what was played is judged by the window of the member in charge, and every member
/// keeps its own account.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "core/json.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/naive_bank.hpp"
#include "regret/temporary_file.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::BankPlan;
using naive::Plan;
using naive::play_bank;
using naive::PlayedBank;

BankPlan usual(Round rounds = 80) {
    BankPlan plan;
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
BankPlan averaged(Round rounds = 80, bool tracking = false) {
    BankPlan plan = usual(rounds);
    plan.mean = true;
    plan.tracking = tracking;
    plan.frozen = {{0.2, -0.1}, {1, 1.5}};
    return plan;
}

TEST(Bank, IsJudgedByTheActiveMember) {
    PlayedBank bank = play_bank(usual());
    const Certificate result = bank.live();
    EXPECT_TRUE(result.sound()) << to_text(result);
    for (const Inequality& each : result.inequalities)
        EXPECT_TRUE(kept(each.verdict)) << each.id << to_text(result);
    EXPECT_EQ(result.inequalities.size(), 6U);
    EXPECT_THROW(result.at("C4"), Error);

    // By hand: each member's own exit residual the round before, its own effective length.
    std::vector<Real> left;
    for (const RunHeader& member : bank.header.members) left.push_back(member.initial_residual);
    Real regret = 0, right = 0, weighted = 0, loss = 0;
    std::vector<Round> in_charge(3);
    Round switches = 0, played = 0;
    std::optional<Index> last;
    for (Index row = 0; row < bank.reports.size(); ++row) {
        if (bank.reports[row].status == RoundStatus::refused) continue;
        const Index k = bank.banks[row].in_charge;
        const RoundReport& member = bank.members[row][k];
        regret += std::pow(member.entry_residual, 2);
        right += std::pow(left[k] + member.variation / bank.header.members[k].effective_length, 2);
        loss += member.loss;
        for (Index i = 0; i < 3; ++i) {
            left[i] = bank.members[row][i].exit_residual;
            weighted += bank.weights[row][i] * (bank.members[row][i].loss + bank.members[row][i].regulariser);
        }
        ++in_charge[k];
        switches += last && *last != k ? 1 : 0;
        last = k;
        ++played;
    }
    EXPECT_NEAR(result.summary.regret, regret, 1e-12);
    EXPECT_NEAR(result.at("C3a").right, right, 1e-12);
    ASSERT_TRUE(result.summary.bank);
    EXPECT_EQ(result.summary.bank->in_charge, in_charge);
    EXPECT_EQ(result.summary.bank->switches, switches);
    EXPECT_NEAR(result.summary.bank->weighted_loss, weighted / static_cast<Real>(played), 1e-12);
    EXPECT_NEAR(result.summary.mean_loss, loss / static_cast<Real>(played), 1e-12);
    const auto best = result.summary.bank->best;
    for (const Certificate& member : result.members)
        EXPECT_GE(member.summary.mean_objective, result.members[best].summary.mean_objective);
}

TEST(Bank, MembersKeepTheirOwnCertificates) {
    const BankPlan plan = usual();
    const Certificate result = play_bank(plan).live();
    ASSERT_EQ(result.members.size(), 3U);
    for (Index k = 0; k < 3; ++k) {
        const Certificate alone = naive::play(plan.members[k]).live();
        EXPECT_EQ(result.members[k].inequalities, alone.inequalities);
        EXPECT_EQ(result.members[k].summary.regret, alone.summary.regret);
        EXPECT_EQ(result.members[k].summary.energy, alone.summary.energy);
        EXPECT_TRUE(kept(result.members[k].at("C6").verdict));
    }
}

TEST(Bank, OneMemberIsThatLearner) {
    BankPlan plan = usual();
    plan.members = {plan.members[1]};
    const Certificate bank = play_bank(plan).live();
    const Certificate alone = naive::play(plan.members[0]).live();
    EXPECT_EQ(bank.summary.regret, alone.summary.regret);
    for (const char* id : {"C2", "C3a", "C3b", "C3c"}) {
        EXPECT_EQ(bank.at(id).left, alone.at(id).left);
        EXPECT_EQ(bank.at(id).right, alone.at(id).right);
    }
    EXPECT_TRUE(kept(bank.at("C8").verdict));
}

TEST(Bank, LedgerGivesTheSameCertificateBitForBit) {
    TemporaryFile file;
    BankPlan hedge = usual();
    hedge.rate = 0.4;
    BankPlan leader = usual();
    leader.leader = true;
    for (const BankPlan& plan : {usual(0), usual(1), usual(), hedge, leader, averaged(0), averaged(1),
                                 averaged(), averaged(80, true)}) {
        PlayedBank bank = play_bank(plan);
        LedgerWriter writer(file.name(), bank.header);
        for (Index row = 0; row < bank.reports.size(); ++row)
            writer.write(bank.reports[row], bank.extras(row));
        writer.finish(bank.footer);
        const Certificate stored = certify(file.name());
        EXPECT_TRUE(stored == bank.live());
        EXPECT_EQ(to_json(stored), to_json(bank.live()));
        EXPECT_EQ(to_text(stored), to_text(bank.live()));
        EXPECT_TRUE(stored.sound()) << to_text(stored);

        LedgerReader reader(file.name());
        EXPECT_TRUE(reader.header() == bank.header);
        for (Index row = 0; row < bank.reports.size(); ++row) {
            ASSERT_TRUE(reader.next());
            const BankRound* read = reader.extras().bank;
            ASSERT_EQ(read == nullptr, bank.reports[row].status == RoundStatus::refused);
            if (read == nullptr) continue;
            EXPECT_EQ(read->in_charge, bank.banks[row].in_charge);
            EXPECT_EQ(read->rate, bank.banks[row].rate);
            EXPECT_EQ(read->offset, bank.banks[row].offset);
            EXPECT_EQ(read->mean_gap, bank.banks[row].mean_gap);
            const auto copied = [](std::span<const Real> values) {
                return std::vector(values.begin(), values.end());
            };
            EXPECT_EQ(copied(read->weights), bank.weights[row]);
            EXPECT_EQ(copied(read->losses), bank.losses[row]);
            EXPECT_EQ(copied(read->mixer_losses), bank.mixer_losses[row]);
            EXPECT_EQ(copied(read->slopes), bank.slopes[row]);
            EXPECT_EQ(read->members[2].round, bank.reports[row].round);
            EXPECT_EQ(read->members[2].exit_residual, bank.members[row][2].exit_residual);
            EXPECT_EQ(read->members[1].cost, bank.members[row][1].cost);
        }
        EXPECT_FALSE(reader.next());
        EXPECT_TRUE(reader.footer() == bank.footer);
        std::istringstream lines(file.text());
        for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
}

TEST(Bank, OtherPlaysPromiseLess) {
    BankPlan plan = usual();
    plan.leader = true;
    const Certificate leader = play_bank(plan).live();
    EXPECT_EQ(leader.at("C8").verdict, Verdict::not_promised);
    EXPECT_LE(leader.at("C8").statement.size(), 46U);
    EXPECT_NE(leader.at("C8").explanation.find("'leader'"), std::string::npos);
}

TEST(Bank, IsFoundOut) {
    PlayedBank bank = play_bank(usual());
    std::swap(bank.weights[30][0], bank.weights[30][2]);
    EXPECT_EQ(bank.live().at("C8").verdict, Verdict::violated);
    EXPECT_NE(bank.live().at("C8").explanation.find("the weights are not those of the rule"),
              std::string::npos);

    bank = play_bank(usual());
    bank.members[30][1].exchange += 1e-6;  // a member that never has to be active
    EXPECT_FALSE(bank.live().sound());
    EXPECT_NE(conclusion(bank.live()).find("C0 of member member 1"), std::string::npos)
        << conclusion(bank.live());
    EXPECT_NE(to_text(bank.live()).find("VIOLATED"), std::string::npos);

    bank = play_bank(usual());
    bank.reports[30].loss += 0.1;
    EXPECT_EQ(bank.live().at("C2").verdict, Verdict::violated);
    EXPECT_NE(bank.live().at("C2").explanation.find("active member"), std::string::npos);

    // The bound is the one of the member's own window: with another's it breaks.
    bank = play_bank(usual());
    for (RunHeader& member : bank.header.members) member.effective_length = 1e3;
    EXPECT_EQ(bank.live().at("C3a").verdict, Verdict::violated);
}

TEST(Bank, RowsAndFootersFitTheHeader) {
    PlayedBank bank = play_bank(usual(5));
    const auto refuses = [&](auto spoil, const char* key) {
        PlayedBank bad = bank;
        spoil(bad);
        try {
            bad.live();
            ADD_FAILURE() << key << " was accepted";
        } catch (const DataError& error) {
            EXPECT_EQ(error.where().field, std::string("key ") + key);
        }
    };
    refuses([](PlayedBank& b) { b.banks[0].in_charge = 3; }, "k");
    refuses([](PlayedBank& b) { b.banks[0].rate = -1; }, "eps");
    refuses([](PlayedBank& b) { b.banks[0].share = 1.5; }, "al");
    refuses([](PlayedBank& b) { b.weights[0][0] += 0.1; }, "p");
    refuses([](PlayedBank& b) { b.weights[0] = {1.5, -0.25, -0.25}; }, "p");
    refuses([](PlayedBank& b) { b.weights[0].push_back(0); }, "p");
    refuses([](PlayedBank& b) { b.members[0].pop_back(); }, "m");
    refuses([](PlayedBank& b) { b.members[0][1].round = 2; }, "m");
    refuses([](PlayedBank& b) { b.losses[0].pop_back(); }, "l");
    refuses([](PlayedBank& b) { b.losses[0][1] = std::nan(""); }, "l");
    refuses([](PlayedBank& b) { b.members[0][1].loss = kInfinity; }, "f");
    refuses([](PlayedBank& b) { b.footer.members.pop_back(); }, "members");
    refuses([](PlayedBank& b) { b.footer.members[1].final_weights.pop_back(); }, "weights");
    refuses(
        [](PlayedBank& b) {
            b.header.members.clear();
            b.header.play.clear();
        },
        "bank");
    Tally tally(bank.header);
    EXPECT_THROW(tally.add(bank.reports[0]), DataError);  // a bank without its members
    PlayedBank totals = bank;
    ++totals.footer.members[0].totals.steps;
    EXPECT_THROW(totals.live(), DataError);

    RunHeader nested = bank.header;
    nested.members[0].members.push_back(nested.members[1]);
    nested.members[0].play = "hedge";
    nested.members[1].other_windows = {4};
    nested.members[2].dimension = 5;
    nested.members[2].hysteresis = 2;
    try {
        nested.validate();
        FAIL() << "an impossible bank was accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 4U);
    }
}

TEST(Bank, TextFitsTheTerminalAndShowsWhoPlayed) {
    PlayedBank bank = play_bank(usual());
    for (const Inequality& each : bank.live().inequalities) EXPECT_LE(each.statement.size(), 46U);
    bank.header.members[0].name = "a name that is much too long for its column";
    const std::string text = to_text(bank.live());
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    for (const char* part : {"an ensemble of 3 members, selection draw", "member 2", "active",
                             "Best member in hindsight", "of the active members"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(text.find("paper"), std::string::npos);
    const auto json = nlohmann::json::parse(to_json(bank.live()));
    EXPECT_EQ(json["members"].size(), 3U);
    EXPECT_EQ(json["members"][1]["inequalities"].size(), 13U);
    EXPECT_EQ(json["summary"]["bank"]["in_charge"].size(), 3U);
    EXPECT_EQ(json["run"]["play"], "draw");
    EXPECT_FALSE(to_text(play_bank(usual(0)).live()).empty());
}

}  // namespace
}  // namespace proxstream
