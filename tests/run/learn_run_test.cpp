/// The runs behind `learn` and `compare`, and the parts they are made from.
#include "run/learn_run.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/regret/certify.hpp"

#include "io/output_file.hpp"
#include "loss/loss_table.hpp"
#include "run/compare_run.hpp"
#include "run/reader_support.hpp"
#include "run/temporary_folder.hpp"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

RecordStream stream_of(const std::string& csv, RecordStream::Options options, bool scaled = false) {
    auto reader = open_inputs({memory_input("rows", csv)}, csv_options("y"));
    if (scaled) options.scale.emplace(*reader);
    return RecordStream(std::move(reader), std::move(options));
}

std::vector<Real> targets(RecordStream& stream) {
    std::vector<Real> all;
    RowBlock record = stream.make_record();
    while (stream.next(record)) {
        for (const Real target : record.targets()) all.push_back(target);
    }
    return all;
}

TEST(RecordStream, DeliversTheRowsBeforeABadRow) {
    RecordStream stream = stream_of("a,y\n1,1\n1,2\n1,x\n1,4\n", {.batch = 3});
    RowBlock record = stream.make_record();
    ASSERT_TRUE(stream.next(record));
    EXPECT_EQ(record.rows(), 2U);
    EXPECT_THROW(stream.next(record), DataError);
    ASSERT_TRUE(stream.next(record));
    EXPECT_EQ(record.target(0), 4);
    EXPECT_FALSE(stream.next(record));
}

TEST(RecordStream, SkipsAndCountsBadRows) {
    RecordStream stream = stream_of("a,y\n1,1\n,2\n1,3\n1,nan\n1,5\n", {.batch = 2, .skip_bad_rows = true});
    EXPECT_EQ(targets(stream), (std::vector<Real>{1, 3, 5}));
    EXPECT_EQ(stream.bad_rows(), 2U);
    EXPECT_NE(stream.last_bad_row().find("rows:5"), std::string::npos) << stream.last_bad_row();
}

TEST(RecordStream, PeekingChangesNothing) {
    const std::string csv = "a,y\n1,1\n5,2\n3,3\n9,4\n2,x\n";
    RecordStream plain = stream_of(csv, {}, true);
    RecordStream peeked = stream_of(csv, {}, true);
    const std::vector<RowBlock> ahead = peeked.peek(10);
    ASSERT_EQ(ahead.size(), 4U);
    RowBlock a = plain.make_record();
    RowBlock b = peeked.make_record();
    for (const RowBlock& expected : ahead) {
        ASSERT_TRUE(plain.next(a));
        ASSERT_TRUE(peeked.next(b));
        EXPECT_EQ(a.values(0)[0], b.values(0)[0]);
        EXPECT_EQ(a.values(0)[0], expected.values(0)[0]);
    }
    EXPECT_THROW(plain.next(a), DataError);
    EXPECT_THROW(peeked.next(b), DataError);
}

TEST(ModelFile, RoundTripKeepsEveryBit) {
    Model model;
    model.loss = "huber:1.5";
    model.regulariser = "l1:0.01+box:-1,1";
    model.intercept = false;
    model.features = {"a", "b \"quoted\""};
    model.feature_count = 2;
    model.classes = {"no", "yes"};
    model.standardiser = Standardiser(Standardiser::State{7, {0.1, -2}, {3, 1e-300}});
    model.rounds = 123;
    model.x = {0.1 + 0.2, -1e-308};
    const Model back = parse_model(to_json(model), "memory");
    EXPECT_EQ(back.loss, model.loss);
    EXPECT_EQ(back.regulariser, model.regulariser);
    EXPECT_EQ(back.intercept, model.intercept);
    EXPECT_EQ(back.features, model.features);
    EXPECT_EQ(back.classes, model.classes);
    EXPECT_EQ(back.rounds, model.rounds);
    EXPECT_EQ(back.x, model.x);
    ASSERT_TRUE(back.standardiser);
    EXPECT_EQ(back.standardiser->state().mean, model.standardiser->state().mean);
    EXPECT_EQ(back.standardiser->state().m2, model.standardiser->state().m2);
}

TEST(ModelFile, RefusesOtherFiles) {
    const std::string good = to_json(Model{.loss = "squared", .regulariser = "zero", .x = {1}});
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"version\": 1", "\"version\": 2"},
                                   {"proxstream-model", "other"},
                                   {"\"x\": [", "\"y\": ["},
                                   {"\"rounds\": 0", "\"rounds\": \"0\""},
                                   {"\"rounds\": 0", "\"rounds\": 1e99"},
                                   {"\"rounds\": 0", "\"rounds\": -1"}}) {
        std::string bad = good;
        const auto place = bad.find(from);
        ASSERT_NE(place, std::string::npos) << from;
        bad.replace(place, from.size(), to);
        EXPECT_THROW(parse_model(bad, "memory"), DataError) << to;
    }
    for (std::size_t length = 0; length + 2 < good.size(); ++length) {
        EXPECT_THROW(parse_model(good.substr(0, length), "memory"), DataError) << length;
    }
}

TEST(BestConstant, IsTheMeanForSquaredLoss) {
    BestConstantSampler sampler(1);
    for (const Real target : {1.0, 2.0, 6.0}) sampler.add(target);
    const auto best = sampler.best("squared");
    ASSERT_TRUE(best);
    EXPECT_NEAR(best->prediction, 3, 1e-6);
    EXPECT_NEAR(best->loss, (4 + 1 + 9) / 6.0, 1e-9);
}

TEST(BestConstant, IsTheLogOddsForLogisticLossAndTheBiggerClusterForARobustOne) {
    BestConstantSampler sampler(1);
    for (int i = 0; i < 100; ++i) sampler.add(i < 80 ? 1 : -1);
    EXPECT_NEAR(sampler.best("logistic")->prediction, std::log(4.0), 1e-4);
    BestConstantSampler robust(1);
    for (int i = 0; i < 100; ++i) robust.add(i < 60 ? 5 + i * 1e-3 : 900);
    EXPECT_NEAR(robust.best("welsch")->prediction, 5.03, 0.01);
    EXPECT_FALSE(robust.best("mlp:hidden=3"));
    EXPECT_FALSE(BestConstantSampler(1).best("squared"));
}

TEST(BestConstant, SamplesLongStreamsUniformly) {
    BestConstantSampler sampler(5);
    constexpr int kTargets = 200'000;
    for (int i = 0; i < kTargets; ++i) sampler.add(i);
    EXPECT_NEAR(sampler.best("squared")->prediction, kTargets / 2.0, kTargets * 0.02);
}

TEST(LearnSettings, EveryOptionCanBeSetAndShown) {
    LearnSettings settings;
    for (const auto& row : LearnSettings::options()) {
        EXPECT_EQ(assign(row, settings, present(row, settings)), "") << row.name;
        EXPECT_FALSE(row.help.empty()) << row.name;
    }
    validate(LearnSettings{});
}

TEST(LearnSettings, ReportsAllViolationsAtOnce) {
    LearnSettings settings;
    settings.window = "0";
    settings.step = "-1";
    settings.format = "xml";
    settings.also_window = {"3", "x"};
    settings.loss = "hubber";
    try {
        validate(settings);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 5U) << error.what();
    }
}

TEST(OutputFile, FailsAtTheWriteThatMeetsAFullDisk) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    OutputFile file("/dev/full");
    EXPECT_THROW(
        {
            for (int i = 0; i < 10'000; ++i) file.write("0123456789");
            file.close();
        },
        IoError);
}

TEST(OutputFile, ReplacesAFileWholeOrNotAtAll) {
    const TemporaryFolder folder;
    const std::string path = folder.file("model.json", "old");
    write_whole_file(path, "new");
    std::string content;
    std::ifstream(path) >> content;
    EXPECT_EQ(content, "new");
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    EXPECT_THROW(write_whole_file(path + "/impossible", "x"), IoError);
}

TEST(OutputFile, WritesIntoDevicesAndPipesInPlace) {
    const TemporaryFolder folder;
    const std::string path = folder.file("report.html", "old");
    const std::string link = folder.path("latest.html");
    std::filesystem::create_symlink(path, link);
    write_whole_file(link, "new");  // as root, /dev/null would be gone
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    std::string content;
    std::ifstream(path) >> content;
    EXPECT_EQ(content, "new");
}

LearnSettings drift(Index rows) {
    LearnSettings settings;
    settings.data = {"builtin:drift,rows=" + std::to_string(rows) + ",features=8"};
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.window = "16";
    return settings;
}

TEST(LearnRun, LiveCertificateEqualsTheLedgers) {
    const TemporaryFolder folder;
    LearnSettings settings = drift(200);
    settings.also_window = {"1", "24"};
    settings.ledger = folder.file("run.jsonl");
    LearnRun run(settings, nullptr);
    const LearnOutcome outcome = drive(run);
    EXPECT_EQ(outcome.totals.rounds, 200U);
    EXPECT_TRUE(outcome.certificate.sound());
    EXPECT_EQ(certify(settings.ledger), outcome.certificate);
    ASSERT_EQ(outcome.certificate.summary.other_windows.size(), 2U);
    EXPECT_GT(outcome.certificate.summary.other_windows[0].regret, outcome.certificate.summary.regret);
}

TEST(LearnRun, StopsWhenAskedAndStillCertifies) {
    std::atomic<bool> stop{false};
    LearnRun run(drift(1000), &stop);
    const LearnOutcome outcome = drive(run, &stop, [&] { stop = run.totals().rounds >= 50; });
    EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    EXPECT_EQ(outcome.certificate.summary.totals.rounds, 50U);
    EXPECT_TRUE(outcome.certificate.sound());
}

TEST(LearnRun, ContinuesFromAModelWhereItStopped) {
    const TemporaryFolder folder;
    LearnSettings settings = drift(100);
    settings.save = folder.file("model.json");
    LearnRun first(settings, nullptr);
    drive(first);
    const Model model = load_model(settings.save);
    EXPECT_EQ(model.rounds, 100U);
    settings.start = settings.save;
    settings.save.clear();
    LearnRun second(settings, nullptr);
    const LearnOutcome outcome = drive(second);
    EXPECT_LT(outcome.totals.loss_sum, 1e300);
    LearnSettings other = settings;
    other.loss = "squared";
    EXPECT_THROW(LearnRun(other, nullptr), ConfigError);
}

TEST(LearnRun, SkippingARefusedRoundDoesNotAffectLaterOnes) {
    const TemporaryFolder folder;
    std::string rows = "a,b,y\n";
    for (int t = 0; t < 60; ++t) {
        const auto draw = [&](std::uint64_t i) {
            return normal({.seed = 3, .round = static_cast<Round>(t), .sample = i});
        };
        rows +=
            std::to_string(draw(0)) + "," + std::to_string(draw(1)) + "," + std::to_string(draw(2)) + "\n";
    }
    std::string spoiled = rows;
    spoiled.insert(spoiled.find('\n', spoiled.size() / 2) + 1, "1e200,1,1\n");
    LearnSettings settings;
    settings.label = "y";
    settings.loss = "squared";
    settings.window = "8";
    settings.step = "0.1";
    settings.raw = true;
    settings.on_bad_row = "skip";
    settings.data = {folder.file("clean.csv", rows)};
    LearnRun clean(settings, nullptr);
    const LearnOutcome expected = drive(clean);
    settings.data = {folder.file("spoiled.csv", spoiled)};
    LearnRun with_refusal(settings, nullptr);
    const LearnOutcome outcome = drive(with_refusal);
    EXPECT_EQ(outcome.totals.refused, 1U);
    EXPECT_EQ(outcome.totals.rounds, 60U);
    EXPECT_EQ(outcome.totals.loss_sum, expected.totals.loss_sum);
    EXPECT_TRUE(
        std::equal(outcome.totals.point.begin(), outcome.totals.point.end(), expected.totals.point.begin()));
}

TEST(LearnRun, SingleIsTheSameAsDataThatWereRoundedBefore) {
    const TemporaryFolder folder;
    std::string rows = "a,b,y\n";
    std::string rounded = rows;
    for (Round t = 1; t <= 80; ++t) {
        const auto draw = [&](std::uint64_t i) { return normal({.seed = 3, .round = t, .sample = i}); };
        const auto row = [](Real a, Real b, Real y) {
            std::ostringstream text;
            text << std::setprecision(17) << a << "," << b << "," << y << "\n";
            return text.str();
        };
        rows += row(draw(0), draw(1), draw(2));
        rounded += row(static_cast<float>(draw(0)), static_cast<float>(draw(1)), draw(2));
    }
    LearnSettings settings;
    settings.label = "y";
    settings.loss = "cauchy";
    settings.window = "8";
    settings.step = "0.1";
    settings.raw = true;
    const auto play = [&](const std::string& data, bool single) {
        settings.data = {folder.file("rows.csv", data)};
        settings.single = single;
        LearnRun run(settings, nullptr);
        const LearnOutcome outcome = drive(run);
        EXPECT_TRUE(outcome.certificate.sound());
        return std::vector<Real>(outcome.totals.point.begin(), outcome.totals.point.end());
    };
    const std::vector<Real> expected = play(rounded, false);
    EXPECT_EQ(play(rows, true), expected);
    EXPECT_NE(play(rows, false), expected);
}

TEST(CompareRun, MatchesSeparateRunsOfLearn) {
    const std::vector<std::string> learners{"time-smoothed", "prox-sgd:0.05,replay=4", "adam",
                                            "re-solve:steps=3"};
    LearnSettings settings = drift(150);
    CompareRun comparison(settings, learners, nullptr);
    const CompareOutcome outcome = comparison.run([](Round) {});
    ASSERT_EQ(outcome.entries.size(), learners.size());
    for (Index i = 0; i < learners.size(); ++i) {
        settings.learner = learners[i];
        settings.also_window = {"16", "1"};
        LearnRun run(settings, nullptr);
        const LearnOutcome alone = drive(run);
        const CompareEntry& entry = outcome.entries[i];
        EXPECT_DOUBLE_EQ(entry.loss, alone.totals.loss_sum / 150) << learners[i];
        EXPECT_NEAR(entry.regret, alone.certificate.summary.regret, 1e-9 * (1 + entry.regret));
        EXPECT_NEAR(entry.regret_one, alone.certificate.summary.other_windows[1].regret,
                    1e-9 * (1 + entry.regret_one));
        EXPECT_EQ(entry.record_gradients, alone.certificate.summary.totals.cost.record_gradients);
    }
}

}  // namespace
}  // namespace proxstream
