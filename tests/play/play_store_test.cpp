/// A play that is interrupted anywhere and resumed has the same joint plays, accounts, files and certificate
/// as an uninterrupted one. So with one thread or two, and with sampled gradients.
#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"
#include "run/temporary_folder.hpp"
#include "support/stored_run.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

std::string outcome_text(const PlayOutcome& outcome) {
    std::string text = timeless(to_json(outcome.certificate));
    for (const Real each : outcome.joint) text += fmt::format(" {}", each);
    return text;
}

/// As --durable 3, without waiting for the disk.
const JournalOptions kOptions{.durable = {3, false}};

/// A play that is stored with these options.
struct Stored {
    explicit Stored(const PlaySettings& settings, bool resumed = false, StopFlag stop = nullptr)
        : job(settings, open_game(settings), {"test", "play"}), driver(job, stop) {
        driver.begin(resumed ? Journal::open(settings.store, kOptions)
                             : Journal::create(settings.store, job.identity(), kOptions));
    }
    PlayOutcome drive() {
        driver.drive();
        return job.outcome();
    }
    PlayJob job;
    RunDriver driver;
};

PlayOutcome begin(const PlaySettings& settings) {
    validate(settings);
    return Stored(settings).drive();
}

PlayOutcome resume_run(const PlaySettings& settings) {
    return Stored(settings, true).drive();
}

/// Everything a folder has, ends of ledgers left out.
std::string folder_text(const std::string& path) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        const std::string name = entry.path().filename().string();
        std::stringstream lines(timeless(read_whole_file(entry.path().string())));
        for (std::string line; std::getline(lines, line);)
            if (!line.starts_with("{\"end\":")) files[name] += line + "\n";
    }
    std::string all;
    for (const auto& [name, text] : files) all += name + "\n" + text;
    return all;
}

struct Case {
    std::string name;
    PlaySettings settings;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](std::string name, const char* game, Round rounds) -> PlaySettings& {
        Case& each = all.emplace_back(Case{std::move(name), {}});
        each.settings.game = game;
        each.settings.rounds = rounds;
        each.settings.responses_every = 4;
        return each.settings;
    };
    add("box window", "rps", 10).window = "5";
    PlaySettings& turns = add("in turns, an ensemble and others", "cournot", 10);
    turns.turns = "alternating";
    turns.learners = "time-smoothed:window=auto;optimistic;time-smoothed:window=3";
    turns.game = "cournot:firms=3";
    PlaySettings& noisy = add("noise", "quadratic", 10);
    noisy.window = "4";
    noisy.oracle = "gaussian:0.05";
    noisy.tolerance = "2";
    noisy.force = true;
    PlaySettings& blind = add("noise without a referee", "quadratic", 10);
    blind.window = "4";
    blind.oracle = "gaussian:0.05";
    blind.tolerance = "2";
    blind.force = true;
    blind.referee = false;
    blind.measure_every = 3;
    PlaySettings& gan = add("a GAN", "gan", 7);
    gan.samples = 8;
    gan.measure_samples = 16;
    gan.quality_samples = 100;
    return all;
}

TEST(PlayStore, ResumesBitForBitAfterACutAnywhere) {
    for (Case& each : cases()) {
        const Round stride = std::getenv("PROXSTREAM_LONG") != nullptr ? 1 : 2;
        SCOPED_TRACE(each.name);
        TemporaryFolder folder;
        PlaySettings& settings = each.settings;
        const auto place = [&](const std::string& name) {
            settings.store = folder.path(name + ".run");
            settings.trace = folder.path(name + ".csv");
            settings.ledger = folder.path(name + "/ledger");
            std::filesystem::create_directories(folder.path(name));
        };
        place("whole");
        const std::string expected = outcome_text(begin(settings));
        const std::string expected_store = store_text(RunStore(settings.store));
        const std::string expected_report = RunStore(settings.store).report();
        const std::string expected_folder =
            folder_text(std::filesystem::path(settings.ledger).parent_path().string());
        const std::string expected_trace = read_whole_file(settings.trace);
        for (Round cut = 0; cut < settings.rounds; cut += stride) {
            set_threads(cut % 2 == 0 ? 2 : 1);
            place("cut" + std::to_string(cut));
            {
                Stored stored(settings);
                for (Round t = 0; t < cut; ++t) ASSERT_TRUE(stored.driver.turn());
                if (cut % 3 == 0) stored.driver.save();
                if (cut % 3 == 1) stored.driver.turn();
            }
            EXPECT_EQ(outcome_text(resume_run(settings)), expected) << cut;
            const RunStore store(settings.store);
            EXPECT_TRUE(store.verify().empty());
            EXPECT_TRUE(store.state().finished);
            EXPECT_EQ(store_text(store), expected_store) << cut;
            EXPECT_EQ(store.report(), expected_report) << cut;
            EXPECT_EQ(folder_text(std::filesystem::path(settings.ledger).parent_path().string()),
                      expected_folder)
                << cut;
            EXPECT_EQ(read_whole_file(settings.trace), expected_trace) << cut;
        }
        set_threads(1);
    }
}

TEST(PlayStore, AStopIsNoEndAndThereMayBeMoreRounds) {
    TemporaryFolder folder;
    PlaySettings settings;
    settings.game = "rps";
    settings.window = "4";
    settings.measure_every = 4;
    settings.responses_every = 5;
    settings.rounds = 30;
    settings.store = folder.path("whole.run");
    const std::string expected = outcome_text(begin(settings));

    settings.store = folder.path("stopped.run");
    std::atomic<bool> stop = false;
    std::string interrupted;
    {
        PlayJob job(settings, open_game(settings));
        const PlayOutcome outcome = drive(
            job, &stop, [&] { stop = job.figures().round == 12; }, settings.store);
        EXPECT_EQ(outcome.ending, RunEnding::interrupted);
        ASSERT_TRUE(outcome.certificate.measures);
        interrupted = outcome_text(outcome);
    }
    {
        // Stopped again before anything is played, it says the same again.
        EXPECT_EQ(outcome_text(Stored(settings, true, &stop).drive()), interrupted);
    }
    {
        const RunStore store(settings.store);
        EXPECT_FALSE(store.state().finished);
        EXPECT_EQ(store.state().saved, 12U);
        EXPECT_EQ(nlohmann::json::parse(store.report())["kind"], "play");
        EXPECT_EQ(store.certify().size(), 2U);
    }
    EXPECT_EQ(outcome_text(resume_run(settings)), expected);

    settings.store = folder.path("longer.run");
    settings.rounds = 12;
    begin(settings);
    EXPECT_TRUE(RunStore(settings.store).state().finished);
    settings.rounds = 30;
    const PlayOutcome longer = resume_run(settings);
    EXPECT_EQ(longer.certificate.rounds, 30U);
    EXPECT_EQ(RunStore(settings.store).state().last, 30U);
}

TEST(PlayStore, AnotherGameIsRefused) {
    TemporaryFolder folder;
    const auto scenario = [&](const char* cost) {
        return folder.file("game.toml", std::string("[[player]]\nname = \"a\"\nvariables = [\"x\"]\nset = "
                                                    "\"box:-1,1\"\ncost = \"") +
                                            cost +
                                            "\"\n[[player]]\nname = \"b\"\nvariables = [\"y\"]\nset = "
                                            "\"box:-1,1\"\ncost = \"-x*y + y^2\"\n");
    };
    PlaySettings settings;
    settings.game = scenario("x*y + x");
    settings.rounds = 6;
    settings.store = folder.path("a.run");
    {
        Stored stored(settings);
        for (int t = 0; t < 3; ++t) stored.driver.turn();
        stored.driver.save();
    }
    scenario("x*y + 1.25*x");
    EXPECT_THROW(resume_run(settings), DataError);
    scenario("x*y + x");
    EXPECT_EQ(resume_run(settings).certificate.rounds, 6U);
    settings.trace = "-";
    EXPECT_THROW(validate(settings), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
