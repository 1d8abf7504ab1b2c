/// The report page as web/ was built, with an empty place for the data.
#pragma once

#include <string_view>

namespace proxstream {

/// Empty when built with PROXSTREAM_WEB=OFF. Defined in a file that cmake/Web.cmake generates.
std::string_view report_page();

}  // namespace proxstream
