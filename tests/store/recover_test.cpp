/// Damaged stores of many kinds are recovered: what is kept is true, and the resumed run has the bits of the
/// undamaged one. Or the store is refused with a reason.
#include "store/recover.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "store/toy_run.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kRounds = 240;

/// A store as the disk has it: closed, or as a kill leaves it.
struct Files {
    std::string main, log;

    void put(const StorePath& path) const {
        path.remove();
        std::ofstream(path.name(), std::ios::binary) << main;
        if (!log.empty()) std::ofstream(path.name() + "-wal", std::ios::binary) << log;
    }
};

struct Kind {
    std::string keep;     // of ledger rows and turns
    bool inputs = false;  // turns have inputs, as those of a service
};

JournalOptions options_of(const Kind& kind) {
    return {.durable = {5, false}, .keep = Retention::parse(kind.keep)};
}

/// Plays up to `end`; states are saved after some turns.
void advance(Journal& journal, ToyRun& run, const Kind& kind, Index end) {
    while (run.place() < end) {
        if (kind.inputs) journal.input("record " + std::to_string(run.place()), std::to_string(run.place()));
        run.turn(journal);
        const Journal::Serialise serialise = [&](StateArchive& state) { run.save(state); };
        if (run.place() % 80 == 0) journal.commit(&serialise);
    }
}

std::vector<std::string> lines_of(const RunStore& store) {
    std::vector<std::string> lines;
    store.ledger(0, [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
    });
    return lines;
}

std::map<Turn, std::string> turns_of(const RunStore& store) {
    std::map<Turn, std::string> turns;
    store.turns(0, kAllTurns, [&](const StoredTurn& turn) {
        std::ostringstream text;
        text << turn.decision << turn.input << turn.key << std::hexfloat;
        for (const Real figure : turn.figures) text << ' ' << figure;
        turns[turn.turn] = text.str();
        return true;
    });
    return turns;
}

std::string series_of(const RunStore& store) {
    const Series series = store.series();
    std::string bytes;
    for (Index bucket = 0; bucket < series.buckets(); ++bucket) bytes += series.bytes(bucket);
    return bytes;
}

struct Contents {
    std::vector<std::string> lines;
    std::map<Turn, std::string> turns;
    std::string series, certificate;
    explicit Contents(const RunStore& store)
        : lines(lines_of(store)),
          turns(turns_of(store)),
          series(series_of(store)),
          certificate(to_json(store.certify().at(0))) {}
};

class Recovering : public ::testing::Test {
  protected:
    struct Counts {
        int damages = 0, whole = 0, complete = 0, from_state = 0, from_start = 0, refused = 0;
    };

    Recovering() : played_(play(naive::Plan{.n = 2, .w = 3, .rounds = kRounds})) {}

    void make(const Kind& kind) {
        kind_ = kind;
        const StorePath path;
        {
            Journal journal = Journal::create(path.name(), ToyRun::identity(), options_of(kind));
            ToyRun run(played_);
            run.begin(journal);
            advance(journal, run, kind, 200);
            killed_ = {read_whole_file(path.name()), read_whole_file(path.name() + "-wal")};
            advance(journal, run, kind, kRounds);
            run.finish(journal);
        }
        finished_ = {read_whole_file(path.name()), ""};
        expected_.emplace(RunStore(path.name()));
    }

    /// Continues the run in `path` to its end.
    void resume(const std::string& path) const {
        Journal journal = Journal::open(path, options_of(kind_));
        ToyRun run(played_);
        run.begin(journal);
        advance(journal, run, kind_, kRounds);
        run.finish(journal);
    }

    /// What the store has equals what the undamaged one has.
    void expect_true(const RunStore& store, bool complete) const {
        EXPECT_TRUE(store.verify().empty()) << store.verify().front();
        const Contents found(store);
        EXPECT_EQ(found.certificate, expected_->certificate);
        EXPECT_EQ(store.certificate(), expected_->certificate);
        EXPECT_TRUE(store.state().finished);
        EXPECT_EQ(store.state().last, kRounds);
        if (complete) {
            EXPECT_EQ(found.turns, expected_->turns);
            EXPECT_EQ(found.lines, expected_->lines);
            EXPECT_EQ(found.series, expected_->series);
            return;
        }
        for (const auto& [turn, text] : found.turns) {
            // A store that folds has its last turns only, and which those are depends on its states.
            const auto there = expected_->turns.find(turn);
            EXPECT_EQ(text, there != expected_->turns.end() ? there->second : text) << "turn " << turn;
        }
        EXPECT_EQ(found.turns.size(), store.state().last - store.state().folded);
        const auto rows = std::min(found.lines.size(), expected_->lines.size()) - 1;
        for (std::size_t i = 1; i <= rows; ++i)
            EXPECT_EQ(*(found.lines.end() - static_cast<std::ptrdiff_t>(i)),
                      *(expected_->lines.end() - static_cast<std::ptrdiff_t>(i)));
    }

    void try_one(const Files& damaged, bool replay) {
        const StorePath path, out;
        damaged.put(path);
        ++counts_.damages;
        Recovery done;
        try {
            done = recover_store(path.name(), out.name(), {.replay = replay});
        } catch (const DataError& error) {
            ++counts_.refused;
            EXPECT_NE(std::string(error.what()).find(path.name()), std::string::npos) << error.what();
            EXPECT_FALSE(std::filesystem::exists(out.name()));
            EXPECT_EQ(read_whole_file(path.name()), damaged.main);
            return;
        }
        EXPECT_EQ(read_whole_file(path.name()), damaged.main) << "the damaged store was changed";
        EXPECT_EQ(damaged.log.empty() ? "" : read_whole_file(path.name() + "-wal"), damaged.log);
        const std::string& made = done.damage.empty() ? path.name() : out.name();
        {
            const RunStore store(made);
            // Before it is resumed, a certificate covers a part of the run, or there is none.
            for (const Certificate& each : store.certify())
                EXPECT_LE(each.summary.totals.rounds, store.state().last);
            if (done.damage.empty()) {
                ++counts_.whole;
            } else if (store.state().saved == 0) {
                ++counts_.from_start;
            } else if (!done.given_up && store.state().folded == 0) {
                ++counts_.complete;
            } else {
                ++counts_.from_state;
            }
        }
        ASSERT_NO_THROW(resume(made)) << (done.gone.empty() ? "" : done.gone.front());
        const bool kept_all =
            kind_.keep != "40" && (replay || (!done.given_up && RunStore(made).state().folded == 0));
        expect_true(RunStore(made), kept_all);
    }

    /// Damages of every sort, `each` of a sort.
    void sweep(const Files& files, int each, unsigned seed) {
        std::mt19937 draw(seed);
        for (int i = 0; i < 6 * each && !HasFatalFailure(); ++i) {
            Files damaged = files;
            std::string& hit = !files.log.empty() && draw() % 2 == 0 ? damaged.log : damaged.main;
            const std::size_t place = draw() % hit.size();
            const int sort = i % 6;
            if (sort == 0) hit[place] ^= static_cast<char>(1U << (draw() % 8));
            for (int bit = 0; sort == 1 && bit < 8; ++bit)
                hit[draw() % hit.size()] ^= static_cast<char>(1U << (draw() % 8));
            if (sort == 2) hit.resize(place);
            for (const auto& [number, size] : {std::pair(3, 512), std::pair(4, 4096)}) {
                if (sort != number) continue;
                const auto block = place / static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
                const auto count = std::min<std::size_t>(static_cast<std::size_t>(size), hit.size() - block);
                hit.replace(block, count, count, '\0');
            }
            if (sort == 5) {
                damaged.log.clear();
                damaged.main[draw() % damaged.main.size()] ^= 1;
            }
            SCOPED_TRACE("damage " + std::to_string(i) + ", keep " + kind_.keep);
            try_one(damaged, i / 6 % 4 == 3);
        }
    }

    void sweep(const Kind& kind, unsigned seed) {
        const int each = std::getenv("PROXSTREAM_LONG") != nullptr ? 100 : 5;
        make(kind);
        sweep(finished_, each, seed);
        sweep(killed_, each, seed + 1);
        RecordProperty("damages", counts_.damages);
        RecordProperty("whole", counts_.whole);
        RecordProperty("complete", counts_.complete);
        RecordProperty("from_state", counts_.from_state);
        RecordProperty("from_start", counts_.from_start);
        RecordProperty("refused", counts_.refused);
        EXPECT_LT(counts_.refused, counts_.damages / 4);
        EXPECT_GT(counts_.complete + counts_.from_state, counts_.damages / 8);
    }

    naive::Played played_;
    Kind kind_;
    Files finished_, killed_;
    std::optional<Contents> expected_;
    Counts counts_;
};

TEST_F(Recovering, StoresWithAllRows) {
    sweep({.keep = "all"}, 1);
}

TEST_F(Recovering, StoresWithSums) {
    sweep({.keep = "turns"}, 2);
}

TEST_F(Recovering, StoresWithFoldedTurns) {
    sweep({.keep = "40"}, 3);
}

TEST_F(Recovering, StoresOfAServiceWithTheirInputs) {
    sweep({.keep = "turns", .inputs = true}, 4);
}

TEST_F(Recovering, AWholeStoreIsNotCopied) {
    make({.keep = "all"});
    for (const Files& files : {finished_, killed_}) {
        const StorePath path, out;
        files.put(path);
        EXPECT_EQ(recover_store(path.name(), out.name(), {}).damage, "");
        EXPECT_FALSE(std::filesystem::exists(out.name()));
    }
}

TEST_F(Recovering, TheFirstPageAloneCostsNothing) {
    make({.keep = "all"});
    Files damaged = finished_;
    damaged.main.replace(0, 4096, 4096, '\0');
    const StorePath path, out;
    damaged.put(path);
    const Recovery done = recover_store(path.name(), out.name(), {});
    EXPECT_NE(done.damage, "");
    EXPECT_TRUE(done.gone.empty()) << done.gone.front();
    expect_true(RunStore(out.name()), true);
}

TEST_F(Recovering, AnExistingFileAndANewerVersionAreRefused) {
    make({.keep = "all"});
    const StorePath path, out;
    finished_.put(path);
    finished_.put(out);
    EXPECT_THROW(recover_store(path.name(), out.name(), {}), ConfigError);
    out.remove();
    std::ofstream(out.name() + "-wal") << "of an earlier store";
    EXPECT_THROW(recover_store(path.name(), out.name(), {}), ConfigError);
    out.remove();
    Files newer = finished_;
    newer.main[63] = 9;
    newer.put(path);
    EXPECT_THROW(recover_store(path.name(), out.name(), {}), DataError);
    EXPECT_THROW(recover_store(out.name(), path.name() + "-x", {}), IoError);
}

}  // namespace
}  // namespace proxstream
