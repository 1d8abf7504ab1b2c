/// Colours and line breaks of what is printed to standard error.
#pragma once

#include <string>
#include <string_view>

namespace proxstream::app {

enum class Tint { good, bad, warning, strong, dim };

/// Whether standard error shows colours: it is a terminal, NO_COLOR is not set, and TERM is not dumb.
bool shows_colours();
/// `text` in a colour, or as it is.
std::string tinted(Tint tint, std::string_view text);
/// `text` on lines of at most 80 columns; all but the first begin with `indent` blanks, and so many columns
/// of the first are taken.
std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace proxstream::app
