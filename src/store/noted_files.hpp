/// The files that a run has completed, as its store notes them: JSON of paths and sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

std::string note_files(const std::vector<std::string>& paths);
/// Whether all files of the note are there, with their sizes. An empty note was never written.
bool all_there(std::string_view note);

}  // namespace proxstream
