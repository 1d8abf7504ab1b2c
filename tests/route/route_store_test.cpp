/// A run on a network that is interrupted anywhere and resumed has the same splits, accounts, alarms,
/// methods, files and certificates as an uninterrupted one.
#include "proxstream/core/parallel.hpp"

#include "route/small_roads.hpp"
#include "store/run_store.hpp"
#include "support/stored_run.hpp"

#include <filesystem>
#include <thread>

namespace proxstream::test {
namespace {

/// Everything happens: closures, openings, a capacity, paths that are found, periods that cannot be used,
/// alarms, rivals.
struct Busy : Small {
    Busy() : Small(demand()) {
        settings.on_bad_period = "hold";
        settings.generate = 5;
        settings.spare = 2;
        settings.paths = 1;
        settings.alarm_utilisation = 0.6;
        settings.clear_utilisation = 0.5;
        settings.sustain = 1;
        settings.durable = "4";
        settings.quiet = true;
    }
    static std::string demand() {
        const auto demands = drawn_demands();
        std::string text = json_of({demands.begin(), demands.begin() + 9}, {{3, kClosure}});
        text += "{\"period\":\"bad\",\"demand\":{\"A->C\":-1},\"events\":[" + std::string(kOpening) + "]}\n";
        text += "{\"events\":[{\"link\":\"A-B\",\"capacity\":0.4}]}\n";
        std::vector<Vector> rest(demands.begin() + 9, demands.begin() + 18);
        std::string more = json_of(rest, {{4, R"({"link":"A-B","capacity":1},{"link":"A-D","close":true})"}});
        for (Index i = 18; i > 0; --i) {
            const std::string from = fmt::format("\"t{}\"", i);
            for (std::size_t at; (at = more.find(from)) != std::string::npos;)
                more.replace(at, from.size(), fmt::format("\"u{}\"", i));
        }
        return text + more;
    }

    /// Outputs and store of their own.
    void place(const std::string& name) {
        settings.store = folder.path(name + ".run");
        settings.out = folder.path(name);
        settings.detail = "all";
        settings.decisions = folder.path(name + ".jsonl");
    }
};

std::string outcome_text(const RouteOutcome& outcome) {
    std::string text = fmt::format("{} {} {} {} {} {}\n", outcome.periods, outcome.held, outcome.refused,
                                   outcome.alarms, outcome.events, outcome.paths_added);
    for (const MethodRow& row : outcome.methods)
        text += fmt::format("{} {} {} {} {} {} {} {} {}\n", row.name, row.total_cost, row.ratio, row.churn,
                            row.overload_share, row.utilisation_max, row.utilisation_p95, row.unserved,
                            row.gradients);
    return text + timeless(epochs_json(outcome.certificates));
}

/// A line of a table without its last cell but `behind`.
std::string without_cell(const std::string& line, Index behind) {
    std::size_t end = line.size();
    for (Index i = 0; i < behind; ++i) end = line.rfind(',', end - 1);
    return line.substr(0, line.rfind(',', end - 1)) + line.substr(end);
}

/// The tables of a folder, without columns of seconds, and its ledgers without their ends.
std::string folder_text(const std::string& path) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        const std::string name = entry.path().filename().string();
        std::string text;
        std::stringstream lines(text_of(entry.path().string()));
        for (std::string line; std::getline(lines, line);) {
            if (name == "run.json" || line.starts_with("{\"end\":")) continue;
            // What the clock says stands in one cell of these.
            if (name == "periods.csv") line = without_cell(line, 2);
            if (name == "methods.csv") line = without_cell(line, 1);
            if (name == "alarms.csv" && line.find(",stale feed,") != std::string::npos)
                line = line.substr(0, line.find(",feed,"));
            text += line + "\n";
        }
        files[name] = text;
    }
    std::string all;
    for (const auto& [name, text] : files) all += name + "\n" + text;
    return all;
}

/// What the page would show, without the clock's figures and the names of files.
std::string report_text(const RunStore& store) {
    nlohmann::json report = nlohmann::json::parse(store.report());
    for (const char* part : {"settings", "kpis"}) report.erase(part);
    report["primary"].erase("seconds");
    for (auto& row : report["methods"]) row.erase("seconds");
    return report.dump();
}

/// As --durable 4, without waiting for the disk.
const JournalOptions kOptions{.durable = {4, false}};

/// A run that is stored with these options.
struct Stored {
    explicit Stored(const RouteSettings& settings, bool resumed = false)
        : run(settings, nullptr, {"test", "proxstream route"}), driver(run) {
        driver.begin(resumed ? Journal::open(settings.store, kOptions)
                             : Journal::create(settings.store, run.identity(), kOptions));
    }
    RouteOutcome drive() {
        driver.drive();
        return run.outcome();
    }
    RouteRun run;
    RunDriver driver;
};

RouteOutcome resume_run(const RouteSettings& settings) {
    return Stored(settings, true).drive();
}

TEST(RouteStore, ResumesBitForBitAfterACutAnywhere) {
    Busy busy;
    busy.place("whole");
    std::string expected_outcome;
    Turn turns = 0;
    {
        Stored whole(busy.settings);
        expected_outcome = outcome_text(whole.drive());
        turns = whole.run.turns();
        EXPECT_GT(whole.run.totals().held, 0U);
        EXPECT_GT(whole.run.totals().alarms, 2U);
        EXPECT_GT(whole.run.totals().paths_added, 1U);
        EXPECT_GE(whole.run.totals().certificates.size(), 4U);
    }
    ASSERT_EQ(turns, 20U);
    const std::string expected_store = store_text(RunStore(busy.settings.store));
    const std::string expected_report = report_text(RunStore(busy.settings.store));
    const std::string expected_folder = folder_text(busy.settings.out);
    const std::string expected_decisions = text_of(busy.settings.decisions);
    for (Turn cut = 0; cut < turns; ++cut) {
        set_threads(cut % 2 == 0 ? 1 : 2);
        busy.place("cut" + std::to_string(cut));
        {
            Stored stored(busy.settings);
            for (Turn turn = 0; turn < cut; ++turn) ASSERT_TRUE(stored.driver.turn());
            if (cut % 3 == 0) stored.driver.save();
            // A turn that is not saved is played again.
            if (cut % 3 == 1) stored.driver.turn();
        }
        EXPECT_EQ(outcome_text(resume_run(busy.settings)), expected_outcome) << cut;
        const RunStore store(busy.settings.store);
        EXPECT_TRUE(store.verify().empty());
        EXPECT_TRUE(store.state().finished);
        EXPECT_EQ(store_text(store), expected_store) << cut;
        EXPECT_EQ(report_text(store), expected_report) << cut;
        EXPECT_EQ(folder_text(busy.settings.out), expected_folder) << cut;
        EXPECT_EQ(text_of(busy.settings.decisions), expected_decisions) << cut;
    }
    set_threads(1);
}

TEST(RouteStore, ResumesEnsemblesAndRunsWithoutFiles) {
    for (const char* window : {"auto", "16"}) {
        Busy busy;
        busy.settings.window = window;
        busy.settings.path_price = 0.01;
        busy.settings.slack = 40;
        busy.settings.decisions.clear();
        busy.settings.store = busy.folder.path("whole.run");
        std::string expected;
        { expected = outcome_text(Stored(busy.settings).drive()); }
        const std::string expected_store = store_text(RunStore(busy.settings.store));
        for (const Turn cut : {3U, 11U, 14U}) {
            busy.settings.store = busy.folder.path(fmt::format("cut{}.run", cut));
            {
                Stored stored(busy.settings);
                for (Turn turn = 0; turn < cut; ++turn) ASSERT_TRUE(stored.driver.turn());
                stored.driver.save();
            }
            EXPECT_EQ(outcome_text(resume_run(busy.settings)), expected) << window << " " << cut;
            EXPECT_EQ(store_text(RunStore(busy.settings.store)), expected_store) << window << " " << cut;
        }
    }
}

TEST(RouteStore, AStopIsNoEndAndThereMayBeMorePeriods) {
    Busy busy;
    busy.place("whole");
    Stored(busy.settings).drive();
    const std::string expected = text_of(busy.settings.decisions);

    // Stopped in the middle, its files are whole, and the resumed run continues them.
    busy.place("stopped");
    std::atomic<bool> stop = false;
    {
        RouteRun run(busy.settings, &stop);
        const RouteOutcome outcome = drive(
            run, &stop, [&] { stop = run.progress().periods == 7; }, busy.settings.store);
        EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    }
    {
        const RunStore store(busy.settings.store);
        EXPECT_FALSE(store.state().finished);
        EXPECT_EQ(store.state().saved, 7U);
        EXPECT_FALSE(store.certificate().empty());
        EXPECT_TRUE(nlohmann::json::parse(store.report()).contains("primary"));
        EXPECT_TRUE(nlohmann::json::parse(store.identity().scenery).contains("network"));
    }
    resume_run(busy.settings);
    EXPECT_EQ(text_of(busy.settings.decisions), expected);

    // One that ended with its last period may be given more of them.
    busy.place("longer");
    busy.settings.periods = 6;
    busy.settings.rivals = "re-solve-last";
    Stored(busy.settings).drive();
    EXPECT_TRUE(RunStore(busy.settings.store).state().finished);
    busy.settings.periods = 0;
    resume_run(busy.settings);
    EXPECT_EQ(text_of(busy.settings.decisions), expected);
    EXPECT_EQ(RunStore(busy.settings.store).state().last, 20U);
}

TEST(RouteStore, OtherDemandIsRefusedAndAFileThatWasCutIsWrittenAgain) {
    Busy busy;
    busy.place("whole");
    Stored(busy.settings).drive();
    const std::string expected = text_of(busy.settings.decisions);
    busy.place("cut");
    {
        Stored stored(busy.settings);
        for (Turn turn = 0; turn < 6; ++turn) ASSERT_TRUE(stored.driver.turn());
        stored.driver.save();
    }
    const std::string demand = text_of(busy.settings.demand);
    const auto refusal = [&] {
        try {
            resume_run(busy.settings);
        } catch (const DataError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    std::string other = demand;
    other[other.find("\"demand\":{\"A->C\":") + 17] = '7';
    busy.folder.file("demand", other);
    EXPECT_NE(refusal().find("the demand has changed"), std::string::npos);
    busy.folder.file("demand", demand.substr(0, demand.find('\n') + 1));
    EXPECT_NE(refusal().find("ends after 1 records"), std::string::npos);
    busy.folder.file("demand", demand);
    std::filesystem::resize_file(busy.settings.decisions, 100);
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(text_of(busy.settings.decisions), expected);
}

TEST(RouteStore, RefusesOutputsThatCannotBeTruncated) {
    Busy busy;
    busy.settings.store = busy.folder.path("a.run");
    busy.settings.decisions = "-";
    EXPECT_THROW(validate(busy.settings), ConfigError);
    busy.settings.decisions.clear();
    busy.settings.ledger = "-";
    EXPECT_THROW(validate(busy.settings), ConfigError);
    busy.settings.ledger.clear();
    validate(busy.settings);
    busy.settings.durable = "never";
    EXPECT_THROW(validate(busy.settings), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
