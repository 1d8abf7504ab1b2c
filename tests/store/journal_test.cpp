/// A run that is interrupted anywhere and resumed equals the uninterrupted run.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "store/database.hpp"
#include "store/store_file.hpp"
#include "store/toy_run.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proxstream {
namespace {

std::string whole_run(const naive::Played& played, const std::string& path, const std::string& keep = "all") {
    Journal journal = Journal::create(path, ToyRun::identity(), every(4, false, keep));
    ToyRun run(played);
    run.begin(journal);
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    return contents_of(RunStore(path));
}

class JournalKeeping : public ::testing::TestWithParam<std::string> {};

TEST_P(JournalKeeping, ResumesBitForBitAfterACutAnywhere) {
    const std::string& keep = GetParam();
    const naive::Played played = play(usual(20));
    const StorePath whole;
    const std::string expected = whole_run(played, whole.name(), keep);
    const StorePath all;
    whole_run(played, all.name());
    const std::string certificate = RunStore(all.name()).certificate();
    for (Index cut = 0; cut <= played.reports.size(); ++cut) {
        for (const std::uint64_t durable : {1, 3}) {
            const StorePath path;
            {
                Journal journal =
                    Journal::create(path.name(), ToyRun::identity(), every(durable, cut % 2 == 0, keep));
                ToyRun run(played);
                run.begin(journal);
                while (run.place() < cut) run.turn(journal);
                // Destroyed with what it had gathered: as good as killed.
            }
            const Turn stored = RunStore(path.name()).state().last;
            EXPECT_EQ(stored, cut / durable * durable);
            Journal journal = Journal::open(path.name(), every(4, false, keep));
            ToyRun run(played);
            run.begin(journal);
            EXPECT_LE(run.place(), stored);
            while (!run.over()) run.turn(journal);
            run.finish(journal);
            const RunStore store(path.name());
            ASSERT_EQ(contents_of(store), expected) << "cut after " << cut;
            EXPECT_TRUE(store.state().finished);
            EXPECT_TRUE(store.verify().empty()) << store.verify().front();
            EXPECT_EQ(to_json(store.certify().at(0)), certificate);
            EXPECT_EQ(store.certificate(), certificate);
        }
    }
}

TEST_P(JournalKeeping, ADifferentReplayIsRefusedAndNothingIsLost) {
    const naive::Played played = play(usual(12));
    naive::Plan other_plan = usual(12);
    other_plan.seed += 1;
    const naive::Played other = play(other_plan);
    const StorePath path;
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), every(1, false, GetParam()));
        ToyRun run(played);
        run.begin(journal);
        for (int i = 0; i < 6; ++i) run.turn(journal);
    }
    const std::string before = contents_of(RunStore(path.name()));
    {
        Journal journal = Journal::open(path.name(), every(1, false, GetParam()));
        ToyRun run(other);
        EXPECT_THROW(
            {
                run.begin(journal);
                while (!run.over()) run.turn(journal);
            },
            DataError);
    }
    EXPECT_EQ(contents_of(RunStore(path.name())), before);
}

INSTANTIATE_TEST_SUITE_P(All, JournalKeeping, ::testing::Values("all", "turns"),
                         [](const auto& test) { return test.param; });

TEST(Journal, WithoutLedgerRowsAStoreHasItsSumsAndFewSeals) {
    const naive::Played played = play(naive::Plan{.n = 1, .w = 3, .rounds = 3000});
    const StorePath path;
    Journal journal = Journal::create(path.name(), ToyRun::identity(), every(100, true, "turns"));
    ToyRun run(played);
    run.begin(journal);
    while (run.place() < 2950) run.turn(journal);
    const RunStore store(path.name());
    EXPECT_EQ(store.state().last, 2900U);
    EXPECT_EQ(store.state().folded, 0U);
    EXPECT_EQ(store.state().folded_rows, 2900U);
    EXPECT_EQ(store.extent(0).stored, 0U);
    EXPECT_TRUE(store.turn(1));
    // The header alone: behind the last footer there may be seals of rows, and those are no rows.
    int lines = 0;
    store.ledger_rows(0, 1, kAllTurns, [&](Turn, std::string_view) { return ++lines > 0; });
    EXPECT_EQ(lines, 1);
    Database database(path.name(), Database::Access::read);
    EXPECT_LE(database.number("SELECT count(*) FROM ledger"), 200);
    EXPECT_EQ(store.certify().at(0).summary.totals.rounds, 2900U);
}

TEST(Journal, WhatIsKeptMayChangeWhenARunIsResumed) {
    const naive::Played played = play(naive::Plan{.n = 2, .w = 3, .rounds = 4000});
    const StorePath whole;
    whole_run(played, whole.name());
    const std::string certificate = RunStore(whole.name()).certificate();
    for (const std::vector<std::string>& keeps : {std::vector<std::string>{"all", "turns", "all", "turns"},
                                                  {"turns", "all", "200", "all"},
                                                  {"200", "turns", "200", "turns"}}) {
        const StorePath path;
        Index cut = 0;
        bool first = true;
        for (const std::string& keep : keeps) {
            // States are saved seldom: what is replayed was stored by another rule.
            Journal journal = first ? Journal::create(path.name(), ToyRun::identity(), every(3, false, keep))
                                    : Journal::open(path.name(), every(3, false, keep));
            first = false;
            ToyRun run(played);
            run.begin(journal);
            cut += 1301;
            while (!run.over() && run.place() < cut) run.turn(journal);
            if (run.over()) run.finish(journal);
        }
        const RunStore store(path.name());
        EXPECT_EQ(store.state().last, 4000U);
        EXPECT_TRUE(store.verify().empty()) << store.verify().front();
        EXPECT_EQ(to_json(store.certify().at(0)), certificate);
    }
}

TEST(Journal, TheRowsAfterTheSumsAreKeptFromThenOn) {
    const naive::Played played = play(usual(20));
    const StorePath whole, path;
    whole_run(played, whole.name());
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), every(1, false, "turns"));
        ToyRun run(played);
        run.begin(journal);
        while (run.place() < 6) run.turn(journal);
        const Journal::Serialise state = [&](StateArchive& archive) { run.save(archive); };
        journal.commit(&state);
        while (run.place() < 10) run.turn(journal);
    }
    Journal journal = Journal::open(path.name(), every(1));
    ToyRun run(played);
    run.begin(journal);
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    const RunStore store(path.name());
    EXPECT_EQ(store.extent(0).folded, 6U);
    EXPECT_EQ(store.extent(0).stored, 14U);
    EXPECT_EQ(to_json(store.certify().at(0)), RunStore(whole.name()).certificate());
}

TEST(Journal, WithoutLedgerRowsADamagedStateIsReplacedByTheOneBefore) {
    const naive::Played played = play(usual(30));
    const StorePath whole;
    const std::string expected = whole_run(played, whole.name(), "turns");
    for (const bool both : {false, true}) {
        const StorePath path;
        {
            Journal journal = Journal::create(path.name(), ToyRun::identity(), every(5, true, "turns"));
            ToyRun run(played);
            run.begin(journal);
            while (run.place() < 20) run.turn(journal);
        }
        Database(path.name(), Database::Access::write)
            .run(std::string("UPDATE states SET state = x'7a0102'") + (both ? "" : " WHERE turn = 20"));
        Journal journal = Journal::open(path.name(), every(5, true, "turns"));
        ToyRun run(played);
        run.begin(journal);
        EXPECT_EQ(run.place(), both ? 0U : 15U);
        while (!run.over()) run.turn(journal);
        run.finish(journal);
        EXPECT_EQ(contents_of(RunStore(path.name())), expected);
        EXPECT_EQ(to_json(RunStore(path.name()).certify().at(0)), RunStore(whole.name()).certificate());
    }
}

TEST(Journal, TheLedgerOfAStoreIsALedger) {
    const naive::Played played = play(usual(12));
    const StorePath path;
    whole_run(played, path.name());
    std::stringstream ledger;
    RunStore(path.name()).ledger(0, [&](std::string_view line) { return static_cast<bool>(ledger << line); });
    LedgerReader reader(ledger, "from a store");
    EXPECT_EQ(to_json(certify(reader)), RunStore(path.name()).certificate());
}

TEST(Journal, OldTurnsAreAddedUpAndTheCertificateIsTheSame) {
    naive::Plan plan{.n = 1, .w = 3, .rounds = 5000};
    const naive::Played played = play(plan);
    const StorePath whole, folded;
    whole_run(played, whole.name());
    JournalOptions options = every(100);
    options.keep = Retention::parse("200");
    Index cut = 0;
    while (cut < played.reports.size()) {
        Journal journal = cut == 0 ? Journal::create(folded.name(), ToyRun::identity(), options)
                                   : Journal::open(folded.name(), options);
        ToyRun run(played);
        run.begin(journal);
        cut += 1700;
        while (!run.over() && run.place() < cut) run.turn(journal);
        if (run.over()) run.finish(journal);
    }
    const RunStore a(whole.name());
    const RunStore b(folded.name());
    EXPECT_EQ(a.state().folded, 0U);
    EXPECT_GT(b.state().folded, 3000U);
    EXPECT_EQ(b.state().last, 5000U);
    EXPECT_FALSE(b.turn(b.state().folded));
    EXPECT_TRUE(b.turn(b.state().folded + 1));
    EXPECT_EQ(to_json(a.certify().at(0)), to_json(b.certify().at(0)));
    EXPECT_TRUE(b.verify().empty()) << b.verify().front();
    const Series all = b.series();
    EXPECT_EQ(all.first(0), 1U);
    EXPECT_EQ(all.last(all.buckets() - 1), 5000U);
    for (Index bucket = 0; bucket < all.buckets(); bucket += 50)
        EXPECT_EQ(all.mean(bucket, 0), a.series().mean(bucket, 0));
}

TEST(Journal, AClockRunningBackwardsAffectsTimesOnly) {
    const naive::Played played = play(usual(12));
    const StorePath whole, path;
    const std::string expected = whole_run(played, whole.name());
    std::int64_t clock = 1'000'000;
    JournalOptions options = every(1);
    options.keep = Retention::parse("1h");
    options.now = [&] {
        clock += clock == 1'000'005 ? -900'000 : 1;
        return clock;
    };
    Journal journal = Journal::create(path.name(), ToyRun::identity(), options);
    ToyRun run(played);
    run.begin(journal);
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    const RunStore store(path.name());
    EXPECT_EQ(contents_of(store), expected);
    std::int64_t last = 0;
    store.turns(0, 100, [&](const StoredTurn& turn) {
        EXPECT_GE(turn.time, last);
        last = turn.time;
        return true;
    });
    EXPECT_LT(clock, last);  // it did go back
}

/// No file may grow beyond what it has: as good as a full disk, and mended as easily.
class FullDisk {
  public:
    explicit FullDisk(std::uint64_t bytes) {
        before_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &limit_);
        rlimit small = limit_;
        small.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() { free(); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    void free() {
        ::setrlimit(RLIMIT_FSIZE, &limit_);
        std::signal(SIGXFSZ, before_);
    }

  private:
    rlimit limit_{};
    void (*before_)(int) = nullptr;
};

TEST(Journal, ReportsAFullDiskAndContinuesWhenSpaceIsFreed) {
    const naive::Played played = play(naive::Plan{.n = 2, .w = 3, .rounds = 400});
    const StorePath whole, path;
    const std::string expected = whole_run(played, whole.name());
    Journal journal = Journal::create(path.name(), ToyRun::identity(), every(5));
    ToyRun run(played);
    run.begin(journal);
    int refusals = 0;
    {
        FullDisk disk(200'000);
        while (!run.over() && refusals == 0) {
            try {
                run.turn(journal);
            } catch (const IoError&) {
                ++refusals;
            }
        }
        ASSERT_EQ(refusals, 1) << "the limit is beyond what this run needs";
        EXPECT_GE(journal.pending(), 5U);
        EXPECT_THROW(journal.commit(), IoError);
        // What is in the file is whole.
        EXPECT_EQ(RunStore(path.name()).state().last, journal.last());
    }
    journal.commit();
    EXPECT_EQ(journal.pending(), 0U);
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    EXPECT_EQ(contents_of(RunStore(path.name())), expected);
}

/// Another process that looks whenever it is asked. Made before this one opens anything: SQLite's idea of
/// which files are open must not be inherited.
class Watcher {
  public:
    explicit Watcher(const std::function<int()>& look) {
        if (::pipe(ask_) != 0 || ::pipe(answer_) != 0) throw std::runtime_error("no pipes");
        child_ = ::fork();
        if (child_ != 0) return;
        ::close(ask_[1]);
        char byte = 0;
        while (::read(ask_[0], &byte, 1) == 1) {
            byte = static_cast<char>(look());
            if (::write(answer_[1], &byte, 1) != 1) break;
        }
        ::_exit(0);
    }
    ~Watcher() {
        for (const int end : {ask_[0], ask_[1], answer_[0], answer_[1]}) ::close(end);
        ::waitpid(child_, nullptr, 0);
    }
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    int look() {
        char byte = 0;
        if (::write(ask_[1], &byte, 1) != 1 || ::read(answer_[0], &byte, 1) != 1) return -1;
        return byte;
    }

  private:
    int ask_[2] = {};
    int answer_[2] = {};
    pid_t child_ = 0;
};

TEST(Journal, OneWriterAtATime) {
    const StorePath path;
    Watcher other([&] {
        try {
            Journal::open(path.name(), every(1));
        } catch (const ConfigError& error) {
            return std::string(error.what()).find("another process") != std::string::npos ? 42 : 1;
        }
        return 0;
    });
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), every(1));
        EXPECT_TRUE(RunStore(path.name()).state().running);
        EXPECT_TRUE(looks_like_store(path.name()));
        EXPECT_EQ(other.look(), 42);
        EXPECT_THROW(Journal::create(path.name(), ToyRun::identity(), every(1)), ConfigError);
    }
    EXPECT_FALSE(RunStore(path.name()).state().running);
    EXPECT_EQ(other.look(), 0);
}

TEST(Journal, ReadersDoNotDisturbARunningRun) {
    const naive::Played played = play(usual(12));
    const StorePath path;
    Watcher other([&] { return static_cast<int>(RunStore(path.name()).state().last); });
    Journal journal = Journal::create(path.name(), ToyRun::identity(), every(1));
    ToyRun run(played);
    run.begin(journal);
    while (!run.over()) {
        run.turn(journal);
        // Whatever this process opens and closes must leave its own locks alone.
        EXPECT_TRUE(RunStore(path.name()).state().running);
        // The last reader to close a file clears away the log, if it believes that no other process has it
        // open.
        EXPECT_EQ(other.look(), static_cast<int>(run.place()));
    }
}

TEST(Journal, AStoreOfTheVersionBeforeIsBroughtUpToDate) {
    const naive::Played played = play(usual(10));
    const StorePath path;
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), every(1));
        ToyRun run(played);
        run.begin(journal);
        for (int i = 0; i < 5; ++i) run.turn(journal);
    }
    {
        Database database(path.name(), Database::Access::write);
        database.run("DROP TABLE sessions; DROP INDEX turn_keys; PRAGMA user_version = 1");
    }
    EXPECT_EQ(RunStore(path.name()).state().last, 5U);  // can be read as it is
    {
        Journal journal = Journal::open(path.name(), every(1));
        ToyRun run(played);
        run.begin(journal);
        while (!run.over()) run.turn(journal);
        run.finish(journal);
    }
    EXPECT_EQ(RunStore(path.name()).sessions().size(), 1U);
    const StorePath whole;
    EXPECT_EQ(contents_of(RunStore(path.name())), whole_run(played, whole.name()));
    {
        Database database(path.name(), Database::Access::write);
        database.run("PRAGMA user_version = 99");
    }
    EXPECT_THROW(Journal::open(path.name(), every(1)), DataError);
    EXPECT_THROW(RunStore{path.name()}, DataError);
}

TEST(Journal, AForkWithoutItsFirstStateIsNoRunAndIsMadeAgain) {
    const StorePath path;
    RunIdentity fork = ToyRun::identity();
    fork.parent = {.id = "1", .store = "other.run", .turn = 5, .begun = "with all of its state"};
    for (int attempt = 0; attempt < 2; ++attempt) {
        (void)Journal::create(path.name(), fork, every(1));  // closed before its first commit
        EXPECT_FALSE(has_run(path.name()));
        EXPECT_THROW(RunStore{path.name()}, DataError);
        EXPECT_THROW(Journal::open(path.name(), every(1)), DataError);
    }
    {
        Journal journal = Journal::create(path.name(), fork, every(1));
        const Journal::Serialise state = [](StateArchive& archive) {
            std::uint64_t number = 7;
            archive.field("number", number);
        };
        journal.commit(&state);
    }
    EXPECT_TRUE(has_run(path.name()));
    EXPECT_EQ(RunStore(path.name()).state().last, 5U);
    EXPECT_EQ(RunStore(path.name()).sessions().size(), 1U);
    EXPECT_THROW(Journal::create(path.name(), fork, every(1)), ConfigError);
}

TEST(Journal, AnEmptyFileIsBegunAnewAndAForeignOneIsNot) {
    const StorePath path;
    std::ofstream(path.name()).close();
    EXPECT_THROW(Journal::open(path.name(), every(1)), DataError);
    const naive::Played played = play(usual(3));
    EXPECT_FALSE(whole_run(played, path.name()).empty());
    const StorePath header;
    Database(header.name(), Database::Access::create)
        .run("PRAGMA application_id = " + std::to_string(kStoreMark));
    EXPECT_GT(std::filesystem::file_size(header.name()), 0U);
    EXPECT_THROW(Journal::open(header.name(), every(1)), DataError);
    EXPECT_FALSE(whole_run(played, header.name()).empty());
    const StorePath foreign;
    std::ofstream(foreign.name())
        << "a,b\n1,2\nthis is no database, but long enough to be looked at closely\n";
    EXPECT_THROW(Journal::open(foreign.name(), every(1)), DataError);
    EXPECT_THROW(Journal::create(foreign.name(), ToyRun::identity(), every(1)), DataError);
    EXPECT_THROW(RunStore{foreign.name()}, DataError);
    EXPECT_FALSE(looks_like_store(foreign.name()));
    EXPECT_FALSE(looks_like_store("/nonexistent/run"));
    EXPECT_THROW(RunStore{"/nonexistent/run"}, IoError);
}

TEST(Journal, ErrorsListTheAllowedSettings) {
    EXPECT_EQ(Durability::parse("round").turns, 1U);
    EXPECT_FALSE(Durability::parse("off").synchronised);
    EXPECT_EQ(Durability::parse("17").turns, 17U);
    for (const char* bad : {"", "0", "-1", "often", "1.5"}) EXPECT_THROW(Durability::parse(bad), ConfigError);
    EXPECT_TRUE(Retention::parse("all").all_turns());
    EXPECT_TRUE(Retention::parse("turns").all_turns());
    EXPECT_FALSE(Retention::parse("turns").ledger_rows);
    EXPECT_TRUE(Retention::parse("500").ledger_rows);
    EXPECT_EQ(*Retention::parse("7d").seconds, 7 * 86400.0);
    EXPECT_EQ(*Retention::parse("500").turns, 500U);
    for (const char* bad : {"", "d", "0", "-2h", "2w"}) EXPECT_THROW(Retention::parse(bad), ConfigError);
}

}  // namespace
}  // namespace proxstream
