/// The report page as built by web/, with an empty place for its data. The caller supplies JSON; its "kind"
/// decides what the page shows.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// Empty when built with PROXSTREAM_WEB=OFF. Defined in a file that cmake/Web.cmake generates.
std::string_view report_page();
/// Throws ConfigError if the library was built without the page (PROXSTREAM_WEB=OFF). Call it before a long
/// run.
void require_report_page();
/// The page with the JSON in its place; requires the page.
std::string page_with_data(std::string_view json);
/// The same, and the page may connect to the server it came from. A page in a file connects to nothing.
std::string live_page_with_data(std::string_view json);

}  // namespace proxstream
