# find_package(proxstream) from an installed tree; tests/package builds examples/ against it.
include(CMakePackageConfigHelpers)

install(TARGETS proxstream EXPORT proxstream-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET proxstream_program)
  install(TARGETS proxstream_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/proxstream DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT proxstream-targets NAMESPACE proxstream:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/proxstream-config.cmake.in ${PROJECT_BINARY_DIR}/proxstream-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proxstream-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proxstream-config.cmake ${PROJECT_BINARY_DIR}/proxstream-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)
