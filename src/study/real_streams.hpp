/// Which real streams the study of them runs over, and who races there.
#pragma once

#include "study/real_race.hpp"
#include "study/study.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace proxstream {

struct RealStream {
    std::string name;
    std::string file;  // below the folder of the data
    LearnSettings settings;
};

/// Where real data lie: $PROXSTREAM_DATA, or ../shared/data.
std::filesystem::path data_folder();
std::vector<RealStream> real_streams();
/// Throws ConfigError when files are missing, with where they were looked for.
void check_data(const std::vector<RealStream>& streams);

inline constexpr const char* kBank = "bank";
std::vector<Index> fixed_windows(StudyPreset preset);
std::string fixed_name(Index window);
/// The bank, the fixed windows, and the methods they are compared with.
std::vector<Racer> real_racers(StudyPreset preset);

}  // namespace proxstream
