/// What a run left in its folder, without what the clock says.
#pragma once

#include <map>
#include <string>

namespace proxstream::faults {

/// The content of each file by its name within the folder: of a store all that it says, of other files their
/// text. Unfinished replacements (.part-) and locks are left out.
using Snapshot = std::map<std::string, std::string>;

Snapshot snapshot(const std::string& folder);
/// The first difference, in a sentence; "" if there is none.
std::string difference(const Snapshot& expected, const Snapshot& found);
/// Whether a program would take the file for a complete one although it is not: JSON or HTML without its end.
std::string half_written(const Snapshot& files);

}  // namespace proxstream::faults
