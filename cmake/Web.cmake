# The report page: web/ becomes one HTML file, and that a string in the library (src/run/report_page.hpp).
set(report_page_source ${PROJECT_BINARY_DIR}/generated/report_page.cpp)
if(PROXSTREAM_WEB)
  find_program(NODE_PROGRAM node)
  find_program(NPM_PROGRAM npm)
  set(node_version "none")
  if(NODE_PROGRAM)
    execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "v" "" node_version "${node_version}")
  endif()
  if(NOT NPM_PROGRAM OR node_version VERSION_LESS 18)
    message(FATAL_ERROR "The report page is built with Node 18 or newer (found: ${node_version}) and npm (found: "
                        "${NPM_PROGRAM}). Install them (Debian: apt-get install nodejs npm), or build without the "
                        "page: cmake -DPROXSTREAM_WEB=OFF. Such a program refuses to write reports.")
  endif()
  # The presets' build folders lie side by side and share one page.
  set(web_folder ${PROJECT_BINARY_DIR}/web)
  if(PROJECT_IS_TOP_LEVEL AND PROJECT_BINARY_DIR MATCHES "^${PROJECT_SOURCE_DIR}/build/[^/]+$")
    set(web_folder ${PROJECT_SOURCE_DIR}/build/web)
  endif()
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
  list(FILTER web_sources EXCLUDE REGEX "/(node_modules|dist)/")
  add_custom_command(
    OUTPUT ${report_page_source}
    COMMAND ${CMAKE_COMMAND} -DNODE=${NODE_PROGRAM} -DNPM=${NPM_PROGRAM} -DSOURCE=${PROJECT_SOURCE_DIR}/web
            -DWORK=${web_folder} -DOUTPUT=${report_page_source} -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "Building the report page" VERBATIM)
else()
  file(CONFIGURE OUTPUT ${report_page_source} CONTENT [[
#include "run/report_page.hpp"

std::string_view proxstream::report_page() {
    return {};
}
]])
endif()
target_sources(proxstream PRIVATE ${report_page_source})
