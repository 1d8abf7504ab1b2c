/// Fits text into the columns of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// `text` on lines of at most `columns` columns; all but the first begin with `indent` blanks, and so many
/// columns of the first are taken.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns = 80);

/// Cuts long texts, such as a list of weights.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace proxstream
