# What is installed: the numeric library, its public headers, the program, and the files by which find_package and
# pkg-config find them. tests/package builds programs against an installed tree.
include(CMakePackageConfigHelpers)

install(TARGETS proxstream proxstream_plugin EXPORT proxstream-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET proxstream_program)
  install(TARGETS proxstream_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/proxstream DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT proxstream-targets NAMESPACE proxstream:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)

# A shared library brings what it needs. Users of the archive link that themselves.
set(static_dependencies "")
set(static_requires "")
set(static_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(static_dependencies "include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(ZLIB)
find_dependency(EXPAT)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(TBB)
find_dependency(Threads)
")
  set(static_requires "fmt zlib expat libcrypto tbb")
  set(static_libs "-pthread")
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/proxstream-config.cmake.in ${PROJECT_BINARY_DIR}/proxstream-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proxstream-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proxstream-config.cmake ${PROJECT_BINARY_DIR}/proxstream-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/proxstream)

# Paths relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/proxstream.pc.in ${PROJECT_BINARY_DIR}/proxstream.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/proxstream.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
