/// Where real data are.
#pragma once

#include <filesystem>

namespace proxstream {

/// $PROXSTREAM_DATA, or ../shared/data.
std::filesystem::path data_folder();

}  // namespace proxstream
