/// Certificates epoch by epoch: what is written, what is said of all of them together, and that one broken
/// epoch breaks the whole.
#include "route/epochs.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "run/temporary_folder.hpp"
#include "support/route_learner.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;

/// A run of three epochs on a small network.
struct ThreeEpochs {
    explicit ThreeEpochs(const std::string& ledger)
        : routed(test::random_routing({}, chance)),
          epochs({.settings = {{"window", "4"}}, .dimension = routed.routing->dimension()}, ledger) {
        const auto stream = test::demand_stream(9, 21, chance);
        test::set_unit(*routed.routing, stream.front());
        LearnerConfig parts = test::route_parts(routed.routing);
        parts.window = "4";
        const auto learner = make_learner("time-smoothed", std::move(parts));
        Index t = 0;
        epochs.begin(learner->facts(), 0);
        for (const Index until : {9U, 9U, 14U, 21U}) {  // the second epoch has no round
            for (; t < until; ++t) {
                const RoundReport report = learner->observe(test::record_of(stream[t]));
                epochs.add(report, learner->ensemble());
                regret += report.entry_gap * report.entry_gap;
                EXPECT_LE(report.entry_gap, report.firm_bound + report.gap_rounding);
            }
            epochs.end(learner->close(), RunEnding::finished, static_cast<double>(t));
            routed.routing->costs.scale_capacity(static_cast<LinkIndex>(t % 5), 0.5);
            learner->revise([&](View x) { repair_splits(routed.routing->paths, x); });
            epochs.begin(learner->facts(), static_cast<double>(t));
        }
    }
    Chance chance{3};
    Routed routed;
    Epochs epochs;
    Real regret = 0;
};

/// Certificates of a run that went well, as if these had been their rounds, regret and verdicts.
struct Said {
    const char* id;
    Real left, right;
    Verdict verdict;
};
Certificate certificate(const std::vector<Said>& said, Round rounds, Real regret = 1) {
    static const ThreeEpochs good("");
    Certificate made = good.epochs.certificates().front();
    made.summary.totals.rounds = rounds;
    made.summary.regret = regret;
    for (Inequality& each : made.inequalities) {
        for (const Said& line : said) {
            if (each.id != line.id) continue;
            each.left = line.left;
            each.right = line.right;
            each.verdict = line.verdict;
        }
    }
    return made;
}

const Inequality& find(const std::vector<Inequality>& all, const char* id) {
    for (const Inequality& each : all)
        if (each.id == id) return each;
    throw Error("no such inequality");
}

TEST(Epochs, PathsAreNumberedBeforeTheirExtension) {
    EXPECT_EQ(epoch_path("a/ledger.jsonl", 1), "a/ledger.jsonl");
    EXPECT_EQ(epoch_path("a/ledger.jsonl", 2), "a/ledger-2.jsonl");
    EXPECT_EQ(epoch_path("a.b/ledger", 3), "a.b/ledger-3");
    EXPECT_EQ(epoch_path("ledger", 10), "ledger-10");
    EXPECT_EQ(epoch_path("-", 2), "-");
}

TEST(Epochs, TogetherTheyAreAsGoodAsTheWorst) {
    std::vector<Certificate> epochs = {
        certificate({{"C1", 1, 2, Verdict::holds}, {"C2", 1, 4, Verdict::holds}}, 5, 1),
        certificate({{"C1", 1, 10, Verdict::not_promised}, {"C2", 3, 4, Verdict::holds}}, 7, 2),
        certificate({{"C1", 9, 10, Verdict::holds}, {"C2", 2, 4, Verdict::holds}}, 1, 4)};
    // A line that only one of them has.
    std::erase_if(epochs[0].inequalities, [](const Inequality& each) { return each.id == "C9"; });
    const std::vector<Inequality> all = combine(epochs);
    EXPECT_EQ(find(all, "C1").verdict, Verdict::not_promised);
    EXPECT_NE(find(all, "C1").explanation.find("holds in 2"), std::string::npos)
        << find(all, "C1").explanation;
    EXPECT_TRUE(kept(find(all, "C2").verdict));
    EXPECT_EQ(find(all, "C2").left, 3) << "the sides of the epoch that came closest";
    EXPECT_TRUE(kept(find(all, "C9").verdict));
    EXPECT_EQ(all.size(), epochs[1].inequalities.size());
    EXPECT_TRUE(sound(epochs));
    EXPECT_NE(epochs_conclusion(epochs).find("13 rounds"), std::string::npos) << epochs_conclusion(epochs);
    EXPECT_NE(epochs_conclusion(epochs).find("ver all of them 7"), std::string::npos);
    EXPECT_NE(epochs_text(epochs).find("of 3 epochs"), std::string::npos);
}

TEST(Epochs, OneBrokenEpochBreaksTheWhole) {
    const std::vector<Certificate> epochs = {certificate({{"C2", 1, 4, Verdict::holds}}, 5),
                                             certificate({{"C2", 5, 4, Verdict::violated}}, 2),
                                             certificate({{"C2", 1, 4, Verdict::not_promised}}, 3)};
    EXPECT_FALSE(sound(epochs));
    EXPECT_EQ(find(combine(epochs), "C2").verdict, Verdict::violated);
    EXPECT_EQ(find(combine(epochs), "C2").left, 5);
    EXPECT_NE(epochs_conclusion(epochs).find("1 of them are broken"), std::string::npos);
    EXPECT_EQ(epochs_conclusion({}).find("No period"), 0U);
    EXPECT_TRUE(sound({}));
    EXPECT_EQ(combine({epochs[0]}), epochs[0].inequalities) << "one epoch speaks for itself";
}

TEST(Epochs, EachHasACertificateAndALedgerThatAgree) {
    const TemporaryFolder folder;
    const ThreeEpochs run(folder.path("run.jsonl"));
    ASSERT_EQ(run.epochs.certificates().size(), 3U);
    EXPECT_EQ(run.epochs.count(), 3U);
    EXPECT_TRUE(sound(run.epochs.certificates()));
    EXPECT_EQ(run.epochs.ledgers(),
              (std::vector<std::string>{folder.path("run.jsonl"), folder.path("run-2.jsonl"),
                                        folder.path("run-3.jsonl")}));
    EXPECT_FALSE(std::filesystem::exists(folder.path("run-4.jsonl")))
        << "an epoch without a round leaves nothing";
    EXPECT_NEAR(run.epochs.regret(), run.regret, 1e-12 * run.regret);
    EXPECT_LE(run.epochs.regret(), run.epochs.regret_bound());
    constexpr Round kRounds[] = {9, 5, 7};
    for (Index i = 0; i < 3; ++i) {
        const Certificate& live = run.epochs.certificates()[i];
        EXPECT_EQ(live.summary.totals.rounds, kRounds[i]);
        EXPECT_EQ(live.header.initial_records, i == 0 ? 0U : live.header.initial_records);
        const Certificate read = certify(run.epochs.ledgers()[i]);
        EXPECT_EQ(read.inequalities, live.inequalities) << i;
        EXPECT_EQ(read.header.initial_objective, live.header.initial_objective);
        EXPECT_TRUE(read.sound());
    }
}

TEST(Epochs, WithoutALedgerNothingIsWritten) {
    const ThreeEpochs run("");
    EXPECT_EQ(run.epochs.certificates().size(), 3U);
    EXPECT_TRUE(run.epochs.ledgers().empty());
}

}  // namespace
}  // namespace proxstream
