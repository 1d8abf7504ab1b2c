/// How charts look: colours for light and dark, markers that differ without colour, text that is safe in XML.
#pragma once

#include "proxstream/core/types.hpp"

#include <string>
#include <string_view>

namespace proxstream {

/// Characters that mean something to XML are replaced, those it does not allow are dropped.
std::string xml_text(std::string_view text);

/// The style sheet: class s<i> strokes and f<i> fills with colour i, in both themes.
std::string chart_style();

/// "s3" or "f3" for the series at `order`; after the last colour they begin again.
std::string stroke_class(Index order);
std::string fill_class(Index order);
/// The dashes of a line, as an attribute: none for the first round of colours.
std::string dashes(Index order);

/// The marker of the series at `order` around a point: circle, square, triangle, diamond, ...
std::string marker(Index order, Real x, Real y);

/// About how wide a text is, in pixels: enough to lay a legend out.
Real text_width(std::string_view text, Real font_size);

}  // namespace proxstream
