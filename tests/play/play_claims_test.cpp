// A folder that a run before has written to.
#include "io/output_file.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"
#include "run/report_page.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(PlayClaims, OldClaimFilesAreRemoved) {
    if (report_page().empty()) GTEST_SKIP() << "the report page is not built in (PROXSTREAM_WEB=OFF)";
    const auto folder = std::filesystem::temp_directory_path() / "proxstream-play-claims";
    std::filesystem::create_directories(folder);
    for (const char* name : {"certificate.json", "report.html", "strategies.json", "mine.txt"})
        write_whole_file((folder / name).string(), "of a run before");
    PlaySettings settings;
    settings.game = "rps";
    settings.out = folder.string();
    PlayJob job(settings, open_game(settings));
    job.begin(false);
    EXPECT_TRUE(std::filesystem::exists(folder / "ledger-1-row.jsonl"));
    EXPECT_FALSE(std::filesystem::exists(folder / "certificate.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "report.html"));
    EXPECT_EQ(read_whole_file((folder / "strategies.json").string()), "of a run before");
    EXPECT_TRUE(std::filesystem::exists(folder / "mine.txt"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace proxstream
