/// Prepares the folder of a run.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

std::string path_in(const std::string& folder, std::string_view file);

/// Makes the folder if it is missing. Returns true if an earlier run wrote it. Throws ConfigError for a file
/// with one of our names that is not from a routing run, IoError if the folder cannot be made.
bool claim_folder(const std::string& folder);
/// Removes the files of an earlier run, ledgers included.
void clear_folder(const std::string& folder);

}  // namespace proxstream
