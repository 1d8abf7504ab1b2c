/// Prepares the folder of a run.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

std::string path_in(const std::string& folder, std::string_view file);

/// Makes it if it is missing. Returns true if an earlier run wrote it. Throws ConfigError naming a file in it
/// that has one of our names and is not of a routing run, IoError if the folder cannot be made.
bool claim_folder(const std::string& folder);
/// Removes the files of an earlier run, ledgers included.
void clear_folder(const std::string& folder);

}  // namespace proxstream
