/// Files that grow with a stored run, whatever becomes of them while it is stopped.
#include "io/output_file.hpp"
#include "store/toy_run.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// A run of 1200 turns with a file. It is stopped there, something happens to the file, and it goes to its
/// end.
std::string file_after(const naive::Played& played, const JournalOptions& options,
                       const std::function<void(const std::string&)>& change,
                       std::vector<std::string>& lost) {
    const StorePath path;
    const StorePath file;
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), options);
        ToyRun run(played, file.name());
        run.begin(journal);
        while (run.place() < 1200) run.turn(journal);
        run.finish(journal);
    }
    change(file.name());
    Journal journal = Journal::open(path.name(), options);
    ToyRun run(played, file.name());
    run.begin(journal);
    lost = journal.lost_outputs();
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    return read_whole_file(file.name());
}

TEST(SideFiles, AFileBesideTheStoreIsWrittenAgainWhateverBecameOfIt) {
    const naive::Played played = play(usual(1300));
    const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> changes{
        {"", [](const std::string&) {}},
        {"", [](const std::string& file) { std::ofstream(file, std::ios::app) << "more"; }},
        {"is missing", [](const std::string& file) { std::filesystem::remove(file); }},
        {"is shorter than it was", [](const std::string& file) { std::filesystem::resize_file(file, 0); }},
        {"is shorter than it was",
         [](const std::string& file) {
             std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
         }},
        {"has changed", [](const std::string& file) { std::fstream(file) << "x"; }},
    };
    // Turns that are folded are played again without a comparison.
    for (const char* keep : {"all", "1"}) {
        std::string expected;
        for (const auto& [says, change] : changes) {
            std::vector<std::string> lost;
            const std::string found = file_after(played, every(4, false, keep), change, lost);
            if (expected.empty()) expected = found;
            EXPECT_EQ(found, expected) << says;
            ASSERT_EQ(lost.size(), says.empty() ? 0U : 1U);
            for (const std::string& each : lost) EXPECT_NE(each.find(says), std::string::npos) << each;
        }
    }
}

TEST(SideFiles, AFileThatCannotBeWrittenAgainBeginsAnew) {
    const naive::Played played = play(usual(1300));
    std::vector<std::string> lost;
    const auto remove = [](const std::string& file) { std::filesystem::remove(file); };
    EXPECT_TRUE(file_after(played, every(4, true), remove, lost).starts_with("1200 "));
    EXPECT_EQ(lost.size(), 1U);
}

TEST(SideFiles, ARunIsCompleteWhileItsFilesAreThere) {
    const naive::Played played = play(usual(10));
    const StorePath path;
    const StorePath file;
    Journal journal = Journal::create(path.name(), ToyRun::identity(), every(4));
    ToyRun run(played, file.name());
    run.begin(journal);
    while (!run.over()) run.turn(journal);
    run.finish(journal);
    EXPECT_FALSE(RunStore(path.name()).complete());
    journal.note_files({file.name(), "", "-"});
    EXPECT_TRUE(RunStore(path.name()).complete());
    std::ofstream(file.name(), std::ios::app) << "more";
    EXPECT_FALSE(RunStore(path.name()).complete());
}

}  // namespace
}  // namespace proxstream
