/// The certificate of an ensemble that plays the mean of its members: both sides by hand, and figures that
/// are not those of the run.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "core/json.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/naive_ensemble.hpp"
#include "regret/temporary_file.hpp"

#include <functional>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace mean_ensemble {
namespace {

using mixing::Long;
using mixing::Longs;
using mixing::longs;
using naive::EnsemblePlan;
using naive::Plan;
using naive::PlayedEnsemble;

constexpr Index kFrozen = 2;

EnsemblePlan plan(Round rounds = 120, bool tracking = true) {
    EnsemblePlan plan;
    for (const Index w : {1, 3, 8}) {
        Plan member{.n = 2, .w = w, .rounds = rounds};
        member.seed = 4;
        member.refused = {2, 17};
        plan.members.push_back(member);
    }
    plan.mean = true;
    plan.tracking = tracking;
    plan.frozen = {{0.2, -0.1}, {1, 1.5}};
    return plan;
}

/// The two sides of C8, C8b and C8c from the figures of the rounds, in extended precision.
struct Sides {
    Long left = 0, right = INFINITY;
    Long slopes_left = 0, slopes_right = INFINITY;
    Long tracked_right = INFINITY;
};

Sides by_hand(const PlayedEnsemble& ensemble, bool tracking) {
    const Index members = ensemble.header.members.size();
    mixing::MixtureTwin twin(mixing::MixtureTwin::even(members), true, true, tracking, 4);
    Sides sides;
    Long inner = 0, outer = 0, tracked = 0;
    Longs losses(members), slopes(members);
    std::vector<Longs> best(5, Longs(members));
    for (Index row = 0; row < ensemble.reports.size(); ++row) {
        if (ensemble.reports[row].status == RoundStatus::refused) continue;
        const Long played = static_cast<Long>(ensemble.reports[row].loss) + ensemble.reports[row].regulariser;
        const Longs l = longs(ensemble.losses[row]), z = longs(ensemble.mixer_losses[row]);
        sides.left += played;
        inner += z[0] - mixing::mean_of(twin.losses.p, l);
        outer += played - mixing::mean_of(twin.top.p, z);
        if (tracking) tracked += z[3] - mixing::mean_of(twin.tracked.p, l);
        for (Index s = 5; s-- > 0;) {
            const Long other = s > 0 ? *std::min_element(best[s - 1].begin(), best[s - 1].end()) : INFINITY;
            for (Index k = 0; k < members; ++k) best[s][k] = std::min(best[s][k], other) + l[k];
        }
        for (Index k = 0; k < members; ++k) {
            losses[k] += l[k];
            slopes[k] += ensemble.slopes[row][k];
        }
        twin.learn(l, longs(ensemble.slopes[row]), z);
    }
    const Long rest = outer + twin.top.price(0);
    for (Index k = 0; k < members; ++k) {
        sides.right = std::min(sides.right, losses[k] + twin.losses.price(k) + inner + rest);
        if (twin.slopes.price(k) - slopes[k] >= sides.slopes_right - sides.slopes_left) continue;
        sides.slopes_left = slopes[k];
        sides.slopes_right = twin.slopes.price(k);
    }
    for (Index s = 0; s < 5 && tracking; ++s) {
        const Long least = *std::min_element(best[s].begin(), best[s].end());
        sides.tracked_right = std::min(sides.tracked_right, least + twin.tracked.price(s) + tracked + rest);
    }
    return sides;
}

void expect_near(Real figure, Long expected, const char* what) {
    EXPECT_NEAR(figure, static_cast<Real>(expected), 1e-8 * (1 + std::abs(static_cast<Real>(expected))))
        << what;
}

TEST(MeanEnsemble, BothSidesAreThoseComputedByHand) {
    for (const bool tracking : {false, true}) {
        PlayedEnsemble ensemble = play_ensemble(plan(120, tracking));
        const Certificate result = ensemble.live();
        EXPECT_TRUE(result.sound()) << to_text(result);
        const Sides sides = by_hand(ensemble, tracking);
        expect_near(result.at("C8").left, sides.left, "played");
        expect_near(result.at("C8").right, sides.right, "bound");
        expect_near(result.at("C8b").left, sides.slopes_left, "slopes");
        expect_near(result.at("C8b").right, sides.slopes_right, "price of the slopes");
        EXPECT_LE(sides.left, sides.right);
        if (tracking) {
            expect_near(result.at("C8c").left, sides.left, "played");
            expect_near(result.at("C8c").right, sides.tracked_right, "sequences");
        } else {
            EXPECT_THROW(result.at("C8c"), Error);
        }
        for (const char* id : {"C8", "C8b"}) EXPECT_EQ(result.at(id).verdict, Verdict::holds) << id;
        EXPECT_LT(result.at("C8").slack, 1e-9);

        ASSERT_TRUE(result.summary.ensemble);
        const EnsembleSummary& summary = *result.summary.ensemble;
        EXPECT_TRUE(summary.mean);
        EXPECT_EQ(summary.losses.size(), 5U);
        EXPECT_EQ(result.members.size(), 3U);
        EXPECT_EQ(summary.measured, 23U);
        EXPECT_EQ(summary.restarted, 0U);
        Real squares = 0, weighted = 0;
        for (Index row = 0; row < ensemble.reports.size(); ++row) {
            const Real gap = ensemble.ensembles[row].mean_gap.value_or(0);
            squares += gap * gap;
            for (Index k = 0; k < ensemble.losses[row].size(); ++k)
                weighted += ensemble.weights[row][k] * ensemble.losses[row][k];
        }
        EXPECT_NEAR(summary.mean_gap, std::sqrt(squares / 23), 1e-12);
        EXPECT_NEAR(summary.weighted_loss, weighted / 118, 1e-12);
        EXPECT_NEAR(result.summary.mean_objective, static_cast<Real>(sides.left) / 118, 1e-12);
    }
}

TEST(MeanEnsemble, FalseFiguresAreFound) {
    const auto verdict = [](const std::function<void(PlayedEnsemble&)>& spoil) {
        PlayedEnsemble ensemble = play_ensemble(plan());
        spoil(ensemble);
        return ensemble.live().at("C8");
    };
    EXPECT_TRUE(kept(verdict([](PlayedEnsemble&) {}).verdict));
    constexpr const char* kRules = "the weights are not those of the rules";
    const auto expect_found = [&](const char* what, const char* why,
                                  const std::function<void(PlayedEnsemble&)>& spoil) {
        const Inequality found = verdict(spoil);
        EXPECT_EQ(found.verdict, Verdict::violated) << what;
        EXPECT_NE(found.explanation.find(why), std::string::npos) << what << ": " << found.explanation;
    };
    expect_found("a weight", kRules, [](PlayedEnsemble& b) {
        b.weights[30][1] += 1e-6;
        b.weights[30][2] -= 1e-6;
    });
    expect_found("the first weights", kRules, [](PlayedEnsemble& b) {
        b.weights[0][1] += 1e-6;
        b.weights[0][2] -= 1e-6;
    });
    expect_found("the loss of a point", kRules, [](PlayedEnsemble& b) { b.losses[30][0] += 1e-3; });
    expect_found("the loss of a window", "not those of the members' reports",
                 [](PlayedEnsemble& b) { b.losses[30][kFrozen] += 1e-12; });
    expect_found("the loss of a window and of its report", kRules, [](PlayedEnsemble& b) {
        b.members[30][1].loss += 1e-3;
        b.losses[30][kFrozen + 1] = b.members[30][1].loss + b.members[30][1].regulariser;
    });
    expect_found("the loss of a mixer", kRules, [](PlayedEnsemble& b) { b.mixer_losses[30][1] -= 1e-3; });
    expect_found("a slope", kRules, [](PlayedEnsemble& b) { b.slopes[30][3] += 1e-3; });
    for (const char* id : {"C8b", "C8c"}) {
        PlayedEnsemble ensemble = play_ensemble(plan());
        ensemble.losses[30][0] += 1e-3;
        EXPECT_EQ(ensemble.live().at(id).verdict, Verdict::violated) << id;
    }
}

TEST(MeanEnsemble, TheSealDetectsFiguresWithoutConsequences) {
    // The bound holds for every sequence of numbers: the gaps between a mean's loss and the mean of losses
    // are measured, with their sign. So a false loss of the played mean moves both sides alike, and a false
    // loss of the last round has no weights after it. No figure contradicts them.
    const auto spoil = {
        std::function<void(PlayedEnsemble&)>([](PlayedEnsemble& b) { b.reports[30].loss += 0.125; }),
        std::function<void(PlayedEnsemble&)>([](PlayedEnsemble& b) { b.losses.back()[0] += 0.125; }),
        std::function<void(PlayedEnsemble&)>([](PlayedEnsemble& b) { b.mixer_losses.back()[2] += 0.125; }),
        std::function<void(PlayedEnsemble&)>([](PlayedEnsemble& b) { b.slopes.back()[0] += 0.125; }),
    };
    for (const auto& each : spoil) {
        PlayedEnsemble ensemble = play_ensemble(plan());
        each(ensemble);
        EXPECT_TRUE(kept(ensemble.live().at("C8").verdict));
    }
    // A ledger has every line sealed by the lines before it.
    TemporaryFile file;
    PlayedEnsemble ensemble = play_ensemble(plan(40));
    LedgerWriter writer(file.name(), ensemble.header);
    for (Index row = 0; row < ensemble.reports.size(); ++row)
        writer.write(ensemble.reports[row], ensemble.extras(row));
    writer.finish(ensemble.footer);
    const std::string whole = file.text();
    EXPECT_TRUE(certify(file.name()).sound());
    Index found = 0;
    for (const char* key : {"\"f\":", "\"p\":[", "\"l\":[", "\"z\":[", "\"sl\":[", "\"gap\":"}) {
        for (std::size_t at = whole.find(key); at != std::string::npos; at = whole.find(key, at + 1)) {
            const std::size_t digit = whole.find_first_of("123456789", at + std::string(key).size());
            std::string changed = whole;
            changed[digit] = changed[digit] == '9' ? '8' : static_cast<char>(changed[digit] + 1);
            std::istringstream in(changed);
            EXPECT_THROW(
                {
                    LedgerReader reader(in, "changed");
                    while (reader.next()) {
                    }
                },
                DataError)
                << key << " at " << at;
            ++found;
        }
    }
    EXPECT_GT(found, 200U);
}

TEST(MeanEnsemble, RowsFitTheHeader) {
    PlayedEnsemble ensemble = play_ensemble(plan(5));
    const auto refuses = [&](const std::function<void(PlayedEnsemble&)>& spoil, const char* key) {
        PlayedEnsemble bad = ensemble;
        spoil(bad);
        try {
            bad.live();
            ADD_FAILURE() << key << " was accepted";
        } catch (const DataError& error) {
            EXPECT_EQ(error.where().field, std::string("key ") + key);
        }
    };
    refuses([](PlayedEnsemble& b) { b.mixer_losses[0].pop_back(); }, "z");
    refuses([](PlayedEnsemble& b) { b.mixer_losses[0].clear(); }, "z");
    refuses([](PlayedEnsemble& b) { b.mixer_losses[0][1] = kInfinity; }, "z");
    refuses([](PlayedEnsemble& b) { b.slopes[0].pop_back(); }, "sl");
    refuses([](PlayedEnsemble& b) { b.slopes[0].clear(); }, "sl");
    refuses([](PlayedEnsemble& b) { b.slopes[0][0] = std::nan(""); }, "sl");
    refuses([](PlayedEnsemble& b) { b.losses[0].push_back(0); }, "l");
    refuses([](PlayedEnsemble& b) { b.losses[0][0] = kInfinity; }, "l");
    refuses([](PlayedEnsemble& b) { b.ensembles[0].active_member = 1; }, "k");  // it has no window
    refuses([](PlayedEnsemble& b) { b.ensembles[0].mean_gap = -1; }, "gap");
    refuses([](PlayedEnsemble& b) { b.members[0].resize(5, b.members[0][0]); }, "m");
    RunHeader header = ensemble.header;
    header.members[kFrozen].measured = false;
    header.members[0].measured = true;
    EXPECT_THROW(validate(header), ConfigError);  // points come first
    for (RunHeader& member : header.members) member.measured = false;
    EXPECT_THROW(validate(header), ConfigError);  // no window at all
    header = ensemble.header;
    header.selection = "mean:mixers=gradients";
    EXPECT_THROW(Tally{header}, ConfigError);
}

TEST(MeanEnsemble, InitialWeightsOfAFilledRunAreCharged) {
    PlayedEnsemble ensemble = play_ensemble(plan(1));
    ensemble.header.initial_records = 3;
    ensemble.weights[0] = {0.1, 0.2, 0.3, 0.15, 0.25};
    EXPECT_TRUE(kept(ensemble.live().at("C8").verdict));
    ensemble.weights[0] = {1e-5, 0.3 - 1e-5, 0.3, 0.15, 0.25};  // less than the least share
    EXPECT_EQ(ensemble.live().at("C8").verdict, Verdict::violated);
    ensemble.header.initial_records = 0;
    ensemble.weights[0] = {0.1, 0.2, 0.3, 0.15, 0.25};
    EXPECT_EQ(ensemble.live().at("C8").verdict, Verdict::violated);
}

/// Member 1 was restarted in the round of that row: its reports end.
PlayedEnsemble ended_at(Index row) {
    PlayedEnsemble ensemble = play_ensemble(plan());
    ensemble.footer.members[1].totals = {};
    RunTotals& totals = ensemble.footer.members[1].totals;
    for (Index r = 0; r < ensemble.reports.size(); ++r) {
        RoundReport& report = ensemble.members[r][1];
        if (r >= row && report.status != RoundStatus::refused) {
            RoundReport refused;
            refused.round = report.round;
            refused.status = RoundStatus::refused;
            refused.cost = report.cost;
            refused.referee_cost = report.referee_cost;
            report = refused;
            if (ensemble.ensembles[r].active_member == kFrozen + 1)
                ensemble.reports[r].status = RoundStatus::moved;
        }
        if (ensemble.reports[r].status != RoundStatus::refused) {
            totals.cost += report.cost;
            totals.referee_cost += report.referee_cost;
        }
        ++(report.status == RoundStatus::refused ? totals.refused : totals.rounds);
        totals.steps += report.steps;
    }
    return ensemble;
}

TEST(MeanEnsemble, ReportsOfARestartedMemberEnd) {
    PlayedEnsemble ensemble = ended_at(60);
    // What is known where it ended.
    const naive::Played alone = naive::play(plan(60).members[1]);
    ensemble.footer.members[1].final_losses = alone.footer.final_losses;
    ensemble.footer.members[1].final_weights = alone.footer.final_weights;
    ensemble.footer.members[1].final_regulariser = alone.footer.final_regulariser;
    const Certificate result = ensemble.live();
    EXPECT_TRUE(result.sound()) << to_text(result);
    EXPECT_EQ(result.summary.ensemble->restarted, 60U);
    EXPECT_NE(to_text(result).find("In 60 rounds a member was out or had been restarted"), std::string::npos)
        << to_text(result);
    EXPECT_EQ(result.members[1].summary.totals.rounds, 58U);

    // They do not begin again: rounds could be left out where they break a bound.
    PlayedEnsemble revived = ended_at(60);
    revived.members[80] = play_ensemble(plan()).members[80];
    EXPECT_THROW(revived.live(), DataError);
}

TEST(MeanEnsemble, TextFitsTheTerminal) {
    for (const Round rounds : {0U, 1U, 120U}) {
        for (const bool tracking : {false, true}) {
            PlayedEnsemble ensemble = play_ensemble(plan(rounds, tracking));
            ensemble.header.members[0].name = "a name that is much too long for its column";
            for (const bool spoiled : {false, true}) {
                if (spoiled && rounds == 120) ensemble.losses[30][0] += 1e-3;
                const Certificate result = ensemble.live();
                for (const Inequality& each : result.inequalities)
                    EXPECT_LE(each.statement.size(), 46U) << each.id;
                std::istringstream lines(to_text(result));
                for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
            }
        }
    }
    const std::string text = to_text(play_ensemble(plan()).live());
    for (const char* part :
         {"an ensemble of 5 members, selection mean", "The mean of the members was played.",
          "measured, not bounded", "Best member in hindsight", "of the windows that led"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    const auto json = nlohmann::json::parse(to_json(play_ensemble(plan()).live()));
    EXPECT_EQ(json["members"].size(), 3U);
    EXPECT_EQ(json["summary"]["ensemble"]["losses"].size(), 5U);
}

}  // namespace
}  // namespace mean_ensemble
}  // namespace proxstream
