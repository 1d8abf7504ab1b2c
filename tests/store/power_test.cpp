/// A store whose disk fails at any call, or loses power there: it is resumed with the same bits, and no turn
/// that was on the disk is lost.
#include "proxstream/core/error.hpp"

#include "store/simulated_disk.hpp"
#include "store/toy_run.hpp"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Round kTurns = 14;

struct Plan {
    const char* name;
    const char* durable;
    bool lazy_turns;  // commits after three turns, where "off" would wait for 256
    bool save_every_commit;
    const char* keep;

    JournalOptions options() const {
        JournalOptions options{.durable = Durability::parse(durable),
                               .keep = Retention::parse(keep),
                               .save_every_commit = save_every_commit};
        if (lazy_turns) options.durable.turns = 3;
        return options;
    }
};

class Power : public ::testing::TestWithParam<Plan> {
  protected:
    Power() : played_(play(naive::Plan{.n = 2, .w = 3, .rounds = kTurns})) {
        const StorePath path;
        play_on(path.name());
        expected_ = contents_of(RunStore(path.name()));
    }

    void play_to_end(Journal& journal, Turn* done = nullptr) const {
        ToyRun run(played_);
        run.begin(journal);
        while (!run.over()) {
            run.turn(journal);
            if (done != nullptr) *done = run.place();
        }
        run.finish(journal);
    }
    /// A whole run, or up to the first error. Returns the turns that end_turn() returned from.
    Turn play_on(const std::string& path) const {
        Turn done = 0;
        try {
            Journal journal = Journal::create(path, ToyRun::identity(), GetParam().options());
            play_to_end(journal, &done);
        } catch (const Error&) {
            return done;
        }
        return done;
    }
    /// Resumes the run, or starts it again, and compares it with the undisturbed one.
    void expect_same_bits(const std::string& path) const {
        {
            Journal journal = has_run(path) ? Journal::open(path, GetParam().options())
                                            : Journal::create(path, ToyRun::identity(), GetParam().options());
            play_to_end(journal);
        }
        const RunStore store(path);
        EXPECT_EQ(contents_of(store), expected_);
        EXPECT_TRUE(store.verify().empty()) << store.verify().front();
        EXPECT_TRUE(store.state().finished);
    }
    /// What is tried: every k in the long run, else few of them.
    static std::uint64_t stride() { return std::getenv("PROXSTREAM_LONG") != nullptr ? 1 : 17; }

    naive::Played played_;
    std::string expected_;
};

TEST_P(Power, ACutAtAnyChangeLosesNoTurnThatWasOnTheDisk) {
    std::uint64_t changes = 0;
    {
        SimulatedDisk disk;
        const StorePath path;
        play_on(path.name());
        changes = disk.changes();
    }
    std::mt19937 draw(1);
    int losses = 0;
    const Durability durable = GetParam().options().durable;
    for (std::uint64_t change = 1; change <= changes; change += stride()) {
        SimulatedDisk disk;
        const StorePath path;
        disk.cut_at(change);
        const Turn done = play_on(path.name());
        disk.restore_power();
        using Kept = SimulatedDisk::Kept;
        for (const Kept kept : {Kept::all, Kept::none, Kept::some, Kept::some, Kept::some}) {
            const StorePath left;
            disk.leave(path.name(), left.name(), kept, draw);
            const Turn committed = done / durable.turns * durable.turns;
            const Turn found = has_run(left.name()) ? RunStore(left.name()).state().last : 0;
            if (found < committed) ++losses;
            EXPECT_TRUE(found % durable.turns == 0 || found == kTurns) << found;
            expect_same_bits(left.name());
            ASSERT_FALSE(HasFailure()) << "cut at change " << change << " of " << changes;
        }
    }
    // Without synchronisation some commits are lost: the disk does forget.
    EXPECT_EQ(losses > 0, !durable.synchronised) << losses;
}

TEST_P(Power, AfterAnyFailedCallTheRunIsResumed) {
    std::uint64_t calls = 0;
    {
        SimulatedDisk disk;
        const StorePath path;
        play_on(path.name());
        calls = disk.calls();
    }
    for (std::uint64_t call = 1; call <= calls; call += stride()) {
        SimulatedDisk disk;
        const StorePath path;
        disk.fail_at(call);
        play_on(path.name());
        disk.fail_at(0);
        expect_same_bits(path.name());
        ASSERT_FALSE(HasFailure()) << "call " << call << " of " << calls << " failed";
    }
}

TEST_P(Power, AFailedCommitIsTriedAgainByTheSameProgram) {
    std::uint64_t before = 0, calls = 0;
    {
        SimulatedDisk disk;
        const StorePath path;
        Journal journal = Journal::create(path.name(), ToyRun::identity(), GetParam().options());
        before = disk.calls();
        play_to_end(journal);
        calls = disk.calls() - before;
    }
    for (std::uint64_t call = 1; call <= calls; call += stride()) {
        SimulatedDisk disk;
        const StorePath path;
        {
            Journal journal = Journal::create(path.name(), ToyRun::identity(), GetParam().options());
            ToyRun run(played_);
            run.begin(journal);
            disk.fail_at(call);
            const auto retried = [](const auto& attempt) {
                try {
                    attempt();
                } catch (const IoError&) {
                    return;
                }
            };
            while (!run.over()) retried([&] { run.turn(journal); });
            retried([&] { run.finish(journal); });
            disk.fail_at(0);
            run.finish(journal);
        }
        EXPECT_EQ(contents_of(RunStore(path.name())), expected_);
        ASSERT_FALSE(HasFailure()) << "call " << call << " of " << calls << " failed";
    }
}

INSTANTIATE_TEST_SUITE_P(All, Power,
                         ::testing::Values(Plan{"Round", "round", false, false, "turns"},
                                           Plan{"RoundWithStates", "round", false, true, "all"},
                                           Plan{"EveryFive", "5", false, true, "turns"},
                                           Plan{"Off", "off", true, true, "turns"}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace proxstream
