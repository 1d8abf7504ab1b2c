/// A fit that is interrupted anywhere and resumed has the same measurements, points and certificate as an
/// uninterrupted one.
#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"

#include "fit/fit_job.hpp"
#include "io/output_file.hpp"
#include "run/temporary_folder.hpp"
#include "support/stored_run.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

std::string rows_of(int count) {
    std::string text = "a,b,y\n";
    for (int i = 0; i < count; ++i) {
        const double a = std::sin(i);
        const double b = 2 * std::cos(3 * i);
        text += fmt::format("{},{},{}\n", a, b, 3 * a - b + 0.1 * std::sin(7 * i));
    }
    return text;
}

FitSettings settings_of(const std::string& data, const char* method) {
    FitSettings settings;
    settings.data = {data};
    settings.method = method;
    settings.reg = "l1:0.001";
    return settings;
}

std::string outcome_text(const FitOutcome& outcome) {
    EXPECT_TRUE(outcome.problems.empty()) << outcome.problems.front();
    std::string text;
    for (const TracePoint& point : outcome.certificate.result.trace)
        text += fmt::format("{} {} {} {} {} {} {}\n", point.iteration, point.base_samples, point.objective,
                            point.gap, point.gap_error, point.nonzeros, point.step);
    for (const Real each : outcome.certificate.point.x) text += fmt::format(" {}", each);
    text += fmt::format("\n{} {}\n", outcome.certificate.result.cost.base_samples,
                        outcome.certificate.result.referee_cost.base_samples);
    for (const auto& claim : outcome.certificate.inequalities)
        text += fmt::format("{} {} {}\n", claim.id, claim.left, claim.right);
    return text;
}

/// As --durable 2, without waiting for the disk.
const JournalOptions kOptions{.durable = {2, false}};

/// A fit that is stored with these options.
struct Stored {
    explicit Stored(const FitSettings& settings, bool resumed = false, StopFlag stop = nullptr)
        : job(settings, stop), driver(job, stop) {
        driver.begin(resumed ? Journal::open(settings.store, kOptions)
                             : Journal::create(settings.store, job.identity(), kOptions));
    }
    FitOutcome drive(const std::function<void()>& on_turn = {}) {
        driver.drive(on_turn);
        return job.outcome();
    }
    FitJob job;
    RunDriver driver;
};

FitOutcome begin(const FitSettings& settings) {
    validate(settings);
    return Stored(settings).drive();
}

FitOutcome resume_run(const FitSettings& settings) {
    return Stored(settings, true).drive();
}

TEST(FitStore, ResumesBitForBitAfterACutAnywhere) {
    TemporaryFolder folder;
    const std::string rows = folder.file("rows.csv", rows_of(60));
    std::vector<FitSettings> all;
    all.push_back(settings_of(rows, "panoc"));
    all.push_back(settings_of(rows, "prox-svrg"));
    all.push_back(settings_of(rows, "spiderboost"));
    all.push_back(settings_of(rows, "prox-sgd"));
    for (FitSettings& settings : all) settings.iterations = 14;
    FitSettings& sampler = all.emplace_back(settings_of("sampler:regression:features=3", "spiderboost"));
    sampler.reg = "zero";
    sampler.test_samples = 256;
    sampler.passes = 6;
    sampler.epsilon = 0.05;
    for (FitSettings& settings : all) {
        const std::uint64_t stride = std::getenv("PROXSTREAM_LONG") != nullptr ? 1 : 5;
        SCOPED_TRACE(settings.method + " on " + settings.data.front());
        settings.measure = settings.method == "panoc" ? 0 : 2.5;
        settings.store = folder.path("whole.run");
        settings.trace = folder.path("whole.csv");
        const std::string expected = outcome_text(begin(settings));
        std::uint64_t steps = 0;
        {
            FitJob job(settings);
            RunDriver driver(job);
            while (driver.turn()) ++steps;
        }
        const std::string expected_store = store_text(RunStore(settings.store));
        std::vector<std::uint64_t> cuts{steps + 1};  // at its end, before it was reported
        for (std::uint64_t cut = 0; cut <= steps; cut += stride) cuts.push_back(cut);
        for (const std::uint64_t cut : cuts) {
            set_threads(cut % 2 == 0 ? 2 : 1);
            settings.store = folder.path(fmt::format("cut{}.run", cut));
            {
                Stored stored(settings);
                for (std::uint64_t i = 0; i < cut; ++i) stored.driver.turn();
                if (cut % 3 == 0 || cut > steps) stored.driver.save();
                if (cut % 3 == 1 && cut <= steps) stored.driver.turn();
            }
            EXPECT_EQ(outcome_text(resume_run(settings)), expected) << cut;
            const RunStore store(settings.store);
            EXPECT_TRUE(store.verify().empty());
            EXPECT_TRUE(store.state().finished);
            EXPECT_EQ(store_text(store), expected_store) << cut;
            std::filesystem::remove(settings.store);
        }
        std::filesystem::remove(folder.path("whole.run"));
        set_threads(1);
    }
}

TEST(FitStore, AStopIsNoEndAndBudgetsMayGrow) {
    TemporaryFolder folder;
    FitSettings settings = settings_of(folder.file("rows.csv", rows_of(60)), "prox-svrg");
    settings.iterations = 40;
    settings.store = folder.path("whole.run");
    const std::string expected = outcome_text(begin(settings));

    settings.store = folder.path("stopped.run");
    std::atomic<bool> stop = false;
    {
        Stored stored(settings, false, &stop);
        stored.drive([&] { stop = stored.job.last().iteration > 10; });
    }
    EXPECT_FALSE(RunStore(settings.store).state().finished);
    EXPECT_FALSE(RunStore(settings.store).certificate().empty());
    EXPECT_EQ(outcome_text(resume_run(settings)), expected);

    // The last measurement of the shorter one is a turn of its own.
    settings.store = folder.path("longer.run");
    settings.iterations = 17;
    begin(settings);
    EXPECT_TRUE(RunStore(settings.store).state().finished);
    settings.iterations = 40;
    EXPECT_EQ(outcome_text(resume_run(settings)), expected);

    FitSettings other = settings;
    other.seed = 9;
    EXPECT_THROW(resume_run(other), ConfigError);
    folder.file("rows.csv", rows_of(59));
    EXPECT_THROW(resume_run(settings), DataError);
}

}  // namespace
}  // namespace proxstream::test
