/// Files that were cut or changed: found, resumed from a whole state, or refused; never wrong numbers.
#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "store/toy_run.hpp"

#include <fstream>
#include <random>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// What comes of a damaged file: the numbers of the run, or a refusal. Anything else is a failure.
enum class Fate { whole, refused };

Fate fate_of(const naive::Played& played, const std::string& path, const std::string& expected) {
    try {
        Journal journal = Journal::open(path, {.durable = {5, false}});
        ToyRun run(played);
        run.begin(journal);
        while (!run.over()) run.turn(journal);
        run.finish(journal);
    } catch (const DataError&) {
        return Fate::refused;
    } catch (const IoError&) {
        return Fate::refused;
    }
    const RunStore store(path);
    if (!store.verify().empty()) return Fate::refused;
    EXPECT_EQ(contents_of(store), expected);
    return Fate::whole;
}

class Damage : public ::testing::Test {
  protected:
    Damage() : played_(play(naive::Plan{.n = 2, .w = 3, .rounds = 60})) {
        {
            Journal journal = Journal::create(whole_.name(), ToyRun::identity(), {.durable = {5, false}});
            ToyRun run(played_);
            run.begin(journal);
            while (!run.over()) run.turn(journal);
            run.finish(journal);
        }
        expected_ = contents_of(RunStore(whole_.name()));
        Journal journal = Journal::create(killed_.name(), ToyRun::identity(), {.durable = {5, false}});
        ToyRun run(played_);
        run.begin(journal);
        while (run.place() < 40) run.turn(journal);
        // The log as a kill would leave it: the journal is still open.
        main_ = read_whole_file(killed_.name());
        log_ = read_whole_file(killed_.name() + "-wal");
    }

    void put(const StorePath& path, const std::string& main, const std::string& log) const {
        path.remove();
        std::ofstream(path.name(), std::ios::binary) << main;
        if (!log.empty()) std::ofstream(path.name() + "-wal", std::ios::binary) << log;
    }

    naive::Played played_;
    StorePath whole_, killed_;
    std::string expected_, main_, log_;
};

TEST_F(Damage, AKilledRunResumes) {
    const StorePath path;
    put(path, main_, log_);
    EXPECT_EQ(RunStore(path.name()).state().last, 40U);
    EXPECT_EQ(fate_of(played_, path.name(), expected_), Fate::whole);
}

TEST_F(Damage, ALogCutAnywhereLosesWholeTurnsOnly) {
    std::mt19937 draw(1);
    Turn least = 40;
    for (int i = 0; i < 60; ++i) {
        const StorePath path;
        put(path, main_, log_.substr(0, draw() % log_.size()));
        const Turn last = RunStore(path.name()).state().last;
        EXPECT_EQ(last % 5, 0U);
        least = std::min(least, last);
        EXPECT_EQ(fate_of(played_, path.name(), expected_), Fate::whole);
    }
    EXPECT_LT(least, 30U);
}

TEST_F(Damage, AChangedBitIsFound) {
    std::mt19937 draw(2);
    int refused = 0;
    for (int i = 0; i < 150; ++i) {
        const StorePath path;
        std::string main = main_;
        std::string log = log_;
        std::string& hit = i % 2 == 0 ? log : main;
        if (hit.empty()) continue;
        hit[draw() % hit.size()] ^= static_cast<char>(1U << (draw() % 8));
        put(path, main, log);
        if (fate_of(played_, path.name(), expected_) == Fate::refused) ++refused;
    }
    RecordProperty("refused", refused);
}

TEST_F(Damage, OfAClosedFileEveryChangeIsFoundOrHarmless) {
    // Closed, everything is in the one file, and no log mends anything.
    const std::string closed = read_whole_file(whole_.name());
    std::mt19937 draw(3);
    int refused = 0;
    for (int i = 0; i < 200; ++i) {
        const StorePath path;
        std::string changed = closed;
        if (i % 4 == 0) {
            changed.resize(draw() % changed.size());
        } else {
            changed[draw() % changed.size()] ^= static_cast<char>(1U << (draw() % 8));
        }
        put(path, changed, "");
        try {
            const RunStore store(path.name());
            if (!store.verify().empty()) {
                ++refused;
                continue;
            }
            EXPECT_EQ(contents_of(store), expected_);
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace proxstream
