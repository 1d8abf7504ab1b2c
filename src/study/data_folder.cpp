#include "study/data_folder.hpp"

#include <cstdlib>

namespace proxstream {

std::filesystem::path data_folder() {
    const char* given = std::getenv("PROXSTREAM_DATA");
    return given != nullptr && *given != '\0' ? given : "../shared/data";
}

}  // namespace proxstream
