/// Runs that stop and are resumed from their store, against runs that never stopped.
#include "proxstream/core/draw.hpp"

#include "io/output_file.hpp"
#include "run/learn_run.hpp"
#include "run/temporary_folder.hpp"
#include "store/run_store.hpp"

#include <atomic>
#include <string>
#include <string_view>

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

LearnSettings settings_for(const std::string& data) {
    LearnSettings settings;
    settings.data = {data};
    settings.label = "y";
    settings.loss = "squared";
    settings.window = "8";
    settings.step = "0.1";
    return settings;
}

/// An outcome that has kept what it only looked at.
struct Ended {
    explicit Ended(const LearnOutcome& ended)
        : outcome(ended), point(outcome.totals.point.begin(), outcome.totals.point.end()) {
        outcome.totals.point = {};
    }
    LearnOutcome outcome;
    std::vector<Real> point;
};

Ended play(const LearnSettings& settings) {
    LearnRun run(settings);
    drive(run);
    return Ended(run.outcome());
}

/// With a commit every 2 turns and without waiting for the disk.
const JournalOptions kOptions{.durable = {2, false}};

/// Begins or continues a run in its store.
void open_store(RunDriver& driver, const LearnRun& run, const LearnSettings& settings, bool begin) {
    driver.begin(begin ? Journal::create(settings.store, run.identity(), kOptions)
                       : Journal::open(settings.store, kOptions));
}

Ended play_stored(const LearnSettings& settings, bool begin) {
    LearnRun run(settings);
    RunDriver driver(run);
    open_store(driver, run, settings, begin);
    driver.drive();
    return Ended(run.outcome());
}

/// A ledger without its footer, whose seconds are never the same.
std::string without_footer(const std::string& text) {
    return text.substr(0, text.rfind('\n', text.size() - 2));
}

std::string stored_ledger(const std::string& store) {
    std::string text;
    RunStore(store).ledger(0, [&](std::string_view line) {
        text += line;
        return true;
    });
    return text;
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
    EXPECT_EQ(value_of(a.metrics.all(), "rmse"), value_of(b.metrics.all(), "rmse"));
    EXPECT_EQ(value_of(a.metrics.all(), "mae"), value_of(b.metrics.all(), "mae"));
    EXPECT_EQ(a.totals.regret, b.totals.regret);
    EXPECT_EQ(one.point, other.point);
    ASSERT_EQ(a.best_constant.has_value(), b.best_constant.has_value());
    if (a.best_constant) {
        EXPECT_EQ(a.best_constant->loss, b.best_constant->loss);
    }
    EXPECT_EQ(a.certificate.inequalities, b.certificate.inequalities);
}

TEST(Resume, RunInThreePartsEqualsTheWholeRun) {
    for (const char* window : {"8", "auto:longest=4"}) {
        const TemporaryFolder folder;
        // The 21st row makes the loss infinite; the run skips it.
        LearnSettings settings = settings_for(folder.file("rows.csv", rows_of(60, "1e200,1,1\n")));
        settings.window = window;
        settings.raw = true;
        settings.on_bad_row = "skip";
        settings.also_window = {"3"};
        settings.ledger = folder.path("whole.jsonl");
        settings.predictions = folder.path("whole.txt");
        settings.metrics = folder.path("whole.csv");
        settings.metrics_every = 7;
        settings.metrics_window = 10;
        const Ended expected = play(settings);
        EXPECT_EQ(expected.outcome.totals.refused, 1U);

        LearnSettings split = settings;
        split.ledger.clear();
        split.predictions = folder.path("split.txt");
        split.metrics = folder.path("split.csv");
        split.store = folder.path("split.run");
        for (const Index last : {Index{20}, Index{25}, Index{60}}) {
            split.rounds = last;
            const Ended ended = play_stored(split, last == 20);
            EXPECT_EQ(ended.outcome.ending, RunEnding::finished);
            EXPECT_EQ(ended.outcome.totals.rounds, last);
            if (last == 60) expect_equal(ended, expected);
        }
        EXPECT_EQ(without_footer(stored_ledger(split.store)),
                  without_footer(read_whole_file(settings.ledger)));
        EXPECT_EQ(read_whole_file(split.predictions), read_whole_file(settings.predictions));
        EXPECT_EQ(read_whole_file(split.metrics), read_whole_file(settings.metrics));
        EXPECT_EQ(RunStore(split.store).certify().front().inequalities,
                  expected.outcome.certificate.inequalities);
    }
}

TEST(Resume, InterruptedRunContinues) {
    const TemporaryFolder folder;
    LearnSettings settings = settings_for(folder.file("rows.csv", rows_of(60)));
    const Ended expected = play(settings);
    settings.store = folder.path("cut.run");
    std::atomic<bool> stop{false};
    {
        LearnRun run(settings, &stop);
        RunDriver driver(run, &stop);
        open_store(driver, run, settings, true);
        driver.drive([&] { stop = run.totals().rounds == 30; });
        EXPECT_EQ(run.outcome().ending, RunEnding::interrupted);
    }
    {
        // Interrupted again before the first new round.
        LearnRun run(settings, &stop);
        RunDriver driver(run, &stop);
        EXPECT_THROW(open_store(driver, run, settings, false), Error);
    }
    expect_equal(play_stored(settings, false), expected);
}

TEST(Resume, RowThatStoppedTheRunCanBeCorrected) {
    const TemporaryFolder folder;
    const std::string good = rows_of(60);
    LearnSettings settings = settings_for(folder.file("rows.csv", good));
    const Ended expected = play(settings);
    settings.store = folder.path("cut.run");
    std::string bad = good;
    std::size_t line = 0;
    for (int i = 0; i < 31; ++i) line = bad.find('\n', line) + 1;
    bad.replace(line, bad.find('\n', line) - line, "1,x,1");
    folder.file("rows.csv", bad);
    const LearnOutcome stopped = play_stored(settings, true).outcome;
    EXPECT_TRUE(stopped.data_error);
    EXPECT_EQ(stopped.totals.rounds, 30U);
    folder.file("rows.csv", good);
    expect_equal(play_stored(settings, false), expected);
}

TEST(Resume, OtherSettingsOrDataAreRefusedAndTheStoreIsUnchanged) {
    const TemporaryFolder folder;
    LearnSettings settings = settings_for(folder.file("rows.csv", rows_of(60)));
    settings.rounds = 25;
    settings.store = folder.path("run");
    play_stored(settings, true);
    const std::string ledger = stored_ledger(settings.store);
    settings.rounds = 0;
    const auto refusal = [&](const LearnSettings& other) -> std::string {
        try {
            LearnRun run(other);
            RunDriver driver(run);
            open_store(driver, run, other, false);
        } catch (const Error& error) {
            EXPECT_EQ(stored_ledger(settings.store), ledger);
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    LearnSettings other = settings;
    other.window = "9";
    EXPECT_NE(refusal(other), "");
    folder.file("rows.csv", rows_of(60, "1,1,1\n"));
    EXPECT_PRED2(has, refusal(settings), "are not those");
    folder.file("rows.csv", rows_of(12));
    EXPECT_PRED2(has, refusal(settings), "ends after 12 records");
    folder.file("rows.csv", rows_of(60));
    EXPECT_EQ(refusal(settings), "");
}

}  // namespace
}  // namespace proxstream
