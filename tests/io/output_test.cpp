/// Output files: replaced as a whole or not at all; and the check of all files before a run.
#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "io/output_plan.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
  public:
    OutputTest() {
        fs::create_directories(folder_);
        std::ofstream(path("old")) << "old";
    }
    ~OutputTest() override { fs::remove_all(folder_); }

  protected:
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

    fs::path folder_ = fs::temp_directory_path() / ("proxstream-output-test-" + std::to_string(::getpid()));
};

TEST_F(OutputTest, AnExistingFileIsReplacedWhenItsSuccessorIsClosed) {
    fs::create_symlink("old", path("link"));
    OutputFile file = OutputFile::fresh(path("link"));
    file.write("new");
    file.flush();
    EXPECT_EQ(read_whole_file(path("old")), "old");
    file.close();
    EXPECT_EQ(read_whole_file(path("old")), "new");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(files(), 2);
}

TEST_F(OutputTest, AFileThatIsNotClosedReplacesNothing) {
    {
        OutputFile file = OutputFile::fresh(path("old"));
        OutputFile moved = std::move(file);
        moved.write("new");
    }
    EXPECT_EQ(read_whole_file(path("old")), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(OutputTest, NewAndContinuedFilesGrowInPlace) {
    OutputFile fresh = OutputFile::fresh(path("new"));
    fresh.write("a");
    fresh.flush();
    EXPECT_EQ(read_whole_file(path("new")), "a");
    OutputFile continued = OutputFile::fresh(path("old"), true);
    continued.write("b");
    EXPECT_EQ(continued.end().bytes, 1U);
    continued.flush();
    EXPECT_EQ(read_whole_file(path("old")), "b");
}

TEST_F(OutputTest, AWholeFileKeepsThePermissionsOfTheOldOne) {
    fs::permissions(path("old"), fs::perms::owner_read | fs::perms::owner_write);
    write_whole_file(path("old"), "new");
    EXPECT_EQ(read_whole_file(path("old")), "new");
    EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputTest, ThePlanNamesEveryFileThatIsUsedTwice) {
    fs::create_hard_link(path("old"), path("hard"));
    fs::create_symlink("absent", path("dangling"));
    OutputPlan plan;
    plan.reads("data", path("old"));
    plan.writes("save", path("hard"));
    plan.writes("ledger", path("absent"));
    plan.writes("trace", path("dangling"));
    try {
        plan.check();
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        ASSERT_EQ(error.violations().size(), 2U);
        EXPECT_EQ(error.violations()[0],
                  "--save " + path("hard") + ": is also an input (data); nothing was written");
        EXPECT_EQ(error.violations()[1],
                  "--trace " + path("dangling") + ": is also the output of --ledger; nothing was written");
    }
}

TEST_F(OutputTest, ThePlanRefusesWhatCannotBeWritten) {
    const auto refused = [](const std::string& file) {
        OutputPlan plan;
        plan.writes("save", file);
        EXPECT_THROW(plan.check(), IoError) << file;
    };
    refused(folder_.string());
    refused(path("nowhere/file"));
    refused(path("old/file"));
}

TEST_F(OutputTest, ThePlanAcceptsDevicesNewFilesAndFoldersOfTheRun) {
    OutputPlan plan;
    plan.reads("data", "-");
    plan.reads("start", "builtin:drift");
    plan.reads("forecast", path("old"));
    plan.writes("predictions", "/dev/null");
    plan.writes("trace", "/dev/null");
    plan.writes("save", path("new"));
    plan.writes("ledger", path("week/ledger"));
    plan.writes_in("out", path("week"), "links.csv");
    EXPECT_NO_THROW(plan.check());
    EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace proxstream
