# `cmake --install build --prefix DIR` gives the program, the headers, the libraries and a package:
#     find_package(knead REQUIRED)
#     target_link_libraries(mine PRIVATE knead::knead)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# All folders in one target. Headers hold packs, so whoever includes them needs our instruction set.
get_property(folders GLOBAL PROPERTY knead_folders)
add_library(knead_library INTERFACE)
set_target_properties(knead_library PROPERTIES EXPORT_NAME knead)
target_link_libraries(knead_library INTERFACE ${folders})
target_compile_features(knead_library INTERFACE cxx_std_20)
target_compile_options(knead_library INTERFACE -Wno-psabi)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(knead_library INTERFACE -march=${KNEAD_ARCH})
endif()

install(TARGETS knead_library knead_openvdb knead_httplib ${folders} EXPORT knead
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/knead DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT knead NAMESPACE knead:: FILE knead-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/knead)
configure_package_config_file(cmake/knead-config.cmake.in ${CMAKE_BINARY_DIR}/knead-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/knead)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/knead-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/knead-config.cmake ${CMAKE_BINARY_DIR}/knead-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/knead)
