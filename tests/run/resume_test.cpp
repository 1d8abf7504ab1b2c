/// Runs that stop and go on, against runs that never stopped.
#include "proxstream/core/draw.hpp"
#include "proxstream/regret/certify.hpp"

#include "io/output_file.hpp"
#include "run/learn_run.hpp"
#include "run/temporary_folder.hpp"

#include <atomic>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::string rows_of(int count, const std::string& odd_row = "") {
    std::string rows = "a,b,y\n";
    for (int t = 0; t < count; ++t) {
        if (t == 20) rows += odd_row;
        for (std::uint64_t i = 0; i < 3; ++i) {
            rows += std::to_string(normal({.seed = 3, .round = static_cast<Round>(t), .sample = i})) +
                    (i < 2 ? "," : "\n");
        }
    }
    return rows;
}

LearnSettings settings_for(const std::string& data, const std::string& ledger) {
    LearnSettings settings;
    settings.data = {data};
    settings.label = "y";
    settings.loss = "squared";
    settings.window = "8";
    settings.step = "0.1";
    settings.ledger = ledger;
    return settings;
}

/// An outcome that has kept what it only looked at.
struct Ended {
    explicit Ended(LearnRun& run)
        : outcome(run.run([](const LearnProgress&) {})),
          point(outcome.totals.point.begin(), outcome.totals.point.end()) {
        outcome.totals.point = {};
    }
    LearnOutcome outcome;
    std::vector<Real> point;
};

Ended play(const LearnSettings& settings) {
    LearnRun run(settings, nullptr);
    return Ended(run);
}

/// A ledger without its footer, whose seconds are never the same.
std::string account(const std::string& path) {
    const std::string text = read_whole_file(path);
    return text.substr(0, text.rfind('\n', text.size() - 2));
}

void expect_equal(const Ended& one, const Ended& other) {
    const LearnOutcome& a = one.outcome;
    const LearnOutcome& b = other.outcome;
    EXPECT_EQ(a.totals.rounds, b.totals.rounds);
    EXPECT_EQ(a.totals.refused, b.totals.refused);
    EXPECT_EQ(a.totals.rows, b.totals.rows);
    EXPECT_EQ(a.totals.loss_sum, b.totals.loss_sum);
    EXPECT_EQ(a.totals.errors, b.totals.errors);
    EXPECT_EQ(a.totals.steps, b.totals.steps);
    EXPECT_EQ(a.totals.on_budget, b.totals.on_budget);
    EXPECT_EQ(a.totals.squared_errors, b.totals.squared_errors);
    EXPECT_EQ(a.totals.absolute_errors, b.totals.absolute_errors);
    EXPECT_EQ(a.totals.regret, b.totals.regret);
    EXPECT_EQ(one.point, other.point);
    ASSERT_EQ(a.best_constant.has_value(), b.best_constant.has_value());
    if (a.best_constant) {
        EXPECT_EQ(a.best_constant->loss, b.best_constant->loss);
    }
    EXPECT_EQ(a.certificate.inequalities, b.certificate.inequalities);
}

TEST(Resume, ASplitRunIsTheWholeRun) {
    const TemporaryFolder folder;
    for (const char* window : {"8", "auto:longest=4"}) {
        // The 21st row makes the loss infinite; the run steps over it.
        LearnSettings settings =
            settings_for(folder.file("rows.csv", rows_of(60, "1e200,1,1\n")), folder.file("whole.jsonl"));
        settings.window = window;
        settings.on_bad_row = "skip";
        settings.also_window = {"3"};
        const Ended expected = play(settings);
        EXPECT_EQ(expected.outcome.totals.refused, 1U);

        LearnSettings split = settings;
        split.ledger = folder.file("split.jsonl");
        split.checkpoint = folder.file("state");
        for (const Index last : {Index{20}, Index{25}, Index{60}}) {
            split.rounds = last;
            LearnRun part(split, nullptr);
            EXPECT_EQ(part.resumed().rounds, last == 20 ? 0U : last == 25 ? 20U : 25U);
            const Ended ended(part);
            EXPECT_EQ(ended.outcome.ending, RunEnding::finished);
            if (last == 60) expect_equal(ended, expected);
            split.resume = split.checkpoint;
        }
        EXPECT_EQ(account(split.ledger), account(settings.ledger));
        EXPECT_EQ(certify(split.ledger).inequalities, expected.outcome.certificate.inequalities);
    }
}

TEST(Resume, AnInterruptedRunGoesOn) {
    const TemporaryFolder folder;
    const LearnSettings settings =
        settings_for(folder.file("rows.csv", rows_of(60)), folder.file("whole.jsonl"));
    const Ended expected = play(settings);
    LearnSettings cut = settings;
    cut.ledger = folder.file("cut.jsonl");
    cut.checkpoint = folder.file("state");
    std::atomic<bool> stop{false};
    {
        LearnRun run(cut, &stop);
        const LearnOutcome outcome =
            run.run([&](const LearnProgress& progress) { stop = progress.rounds == 30; });
        EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    }
    cut.resume = cut.checkpoint;
    const std::string before = read_whole_file(cut.ledger);
    EXPECT_THROW(LearnRun(cut, &stop), Error);  // interrupted again before anything could happen
    EXPECT_EQ(read_whole_file(cut.ledger), before);
    expect_equal(play(cut), expected);
    EXPECT_EQ(account(cut.ledger), account(settings.ledger));
}

TEST(Resume, ARowThatStoppedTheRunCanBePutRight) {
    const TemporaryFolder folder;
    const std::string good = rows_of(60);
    LearnSettings settings = settings_for(folder.file("rows.csv", good), folder.file("whole.jsonl"));
    const Ended expected = play(settings);
    settings.ledger = folder.file("cut.jsonl");
    settings.checkpoint = folder.file("state");
    std::string bad = good;
    std::size_t line = 0;
    for (int i = 0; i < 31; ++i) line = bad.find('\n', line) + 1;
    bad.replace(line, bad.find('\n', line) - line, "1,x,1");
    folder.file("rows.csv", bad);
    const LearnOutcome stopped = play(settings).outcome;
    EXPECT_TRUE(stopped.data_error);
    EXPECT_EQ(stopped.totals.rounds, 30U);
    folder.file("rows.csv", good);
    settings.resume = settings.checkpoint;
    expect_equal(play(settings), expected);
    EXPECT_EQ(account(settings.ledger), account(folder.path("whole.jsonl")));
}

TEST(Resume, WhatDoesNotBelongTogetherIsRefusedAndLeftAlone) {
    const TemporaryFolder folder;
    LearnSettings settings = settings_for(folder.file("rows.csv", rows_of(60)), folder.file("run.jsonl"));
    settings.rounds = 25;
    settings.checkpoint = folder.file("state");
    play(settings);
    const std::string ledger = read_whole_file(settings.ledger);
    settings.resume = settings.checkpoint;
    settings.rounds = 0;
    const auto refusal = [&](const LearnSettings& other) -> std::string {
        try {
            LearnRun run(other, nullptr);
        } catch (const Error& error) {
            EXPECT_EQ(read_whole_file(settings.ledger), ledger);
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    LearnSettings other = settings;
    other.window = "9";
    other.reg = "l1:0.5";
    const std::string both = refusal(other);
    EXPECT_PRED2(has, both, "window was '8'");
    EXPECT_PRED2(has, both, "reg was 'zero'");

    // The checkpoint of the same run at another round, or of another run, knows another digest.
    LearnSettings again = settings;
    again.resume.clear();
    again.rounds = 24;
    again.ledger = folder.file("other.jsonl");
    again.checkpoint = folder.file("other");
    play(again);
    other = settings;
    other.resume = again.checkpoint;
    EXPECT_PRED2(has, refusal(other), "goes on to round 25");
    other = settings;
    other.ledger = again.ledger;
    EXPECT_PRED2(has, refusal(other), "ends before that round");

    folder.file("rows.csv", rows_of(60, "1,1,1\n"));
    EXPECT_PRED2(has, refusal(settings), "are not those");
    folder.file("rows.csv", rows_of(12));
    EXPECT_PRED2(has, refusal(settings), "ends after 12 records");
    folder.file("rows.csv", rows_of(60));
    EXPECT_EQ(refusal(settings), "");
}

TEST(Resume, NoStateIsSavedForALedgerThatIsNotWhole) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
    const TemporaryFolder folder;
    LearnSettings settings = settings_for(folder.file("rows.csv", rows_of(600)), "/dev/full");
    settings.checkpoint = folder.file("state", "the one before");
    EXPECT_THROW(LearnRun(settings, nullptr), IoError);
    EXPECT_EQ(read_whole_file(settings.checkpoint), "the one before");
}

}  // namespace
}  // namespace proxstream
