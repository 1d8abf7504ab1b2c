/// The report page as web/ was built, with an empty place for the data. Whoever has a report to write makes
/// the JSON; the page finds out by its "kind" what to show.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// Empty when built with PROXSTREAM_WEB=OFF. Defined in a file that cmake/Web.cmake generates.
std::string_view report_page();
/// Throws ConfigError if the library was built without the page (PROXSTREAM_WEB=OFF): for whoever wants to
/// know before a long run, not after it.
void require_report_page();
/// The page with that JSON in its place; needs the page.
std::string page_with_data(std::string_view json);
/// The same, and it may ask the server it came from, and nobody else: a file asks for nothing at all.
std::string live_page_with_data(std::string_view json);

}  // namespace proxstream
