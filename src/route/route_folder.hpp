/// The folder of a run before it is written to.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

std::string path_in(const std::string& folder, std::string_view file);

/// Makes it if it is missing. Throws ConfigError naming a file in it that bears one of our names and is not
/// of a routing run, IoError if the folder cannot be made. True if a run before wrote it.
bool claim_folder(const std::string& folder);
/// Removes what a run before left there, ledgers too: there may be fewer of them this time.
void clear_folder(const std::string& folder);

}  // namespace proxstream
