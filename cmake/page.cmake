# The viewer's page: built from web/ by npm and vite into build/web/page, and put into the program as
# bytes. KNEAD_VIEW=AUTO builds it where that can be done, ON insists, OFF leaves it out. Without it
# the program is complete but for the page, and `knead view` says so.
set(KNEAD_VIEW AUTO CACHE STRING "Build the page of `knead view`: AUTO, ON or OFF")
set_property(CACHE KNEAD_VIEW PROPERTY STRINGS AUTO ON OFF)
set(page_folder ${CMAKE_BINARY_DIR}/web)
set(page_config ${page_folder}/page_config.h)
find_program(KNEAD_NPM npm)

if(KNEAD_VIEW STREQUAL OFF)
  set(no_page "it was built with KNEAD_VIEW=OFF; KNEAD_VIEW=AUTO builds the page")
elseif(NOT KNEAD_NPM)
  set(no_page "npm was not found when it was built; install npm and build again from an empty folder")
  if(KNEAD_VIEW STREQUAL ON)
    message(FATAL_ERROR "KNEAD_VIEW=ON needs npm (Debian package npm)")
  endif()
endif()

if(no_page)
  message(STATUS "no page for `knead view`: ${no_page}")
  file(CONFIGURE OUTPUT ${page_config} CONTENT "#define KNEAD_NO_PAGE \"@no_page@\"\n" @ONLY)
  set(KNEAD_HAS_WEB OFF CACHE INTERNAL "the page is built")
else()
  set(KNEAD_HAS_WEB ON CACHE INTERNAL "the page is built")
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/* ${CMAKE_SOURCE_DIR}/web/public/*)
  list(APPEND page_sources ${CMAKE_SOURCE_DIR}/web/index.html ${CMAKE_SOURCE_DIR}/web/package.json
       ${CMAKE_SOURCE_DIR}/web/package-lock.json ${CMAKE_SOURCE_DIR}/web/vite.config.ts
       ${CMAKE_SOURCE_DIR}/web/tsconfig.json)
  add_custom_command(
    OUTPUT ${page_config}
    COMMAND ${CMAKE_COMMAND} -D NPM=${KNEAD_NPM} -D FROM=${CMAKE_SOURCE_DIR}/web -D TO=${page_folder}
            -D NEEDED=${KNEAD_VIEW} -P ${CMAKE_SOURCE_DIR}/cmake/build_page.cmake
    DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/cmake/build_page.cmake
    COMMENT "The page of `knead view`")
endif()
add_custom_target(page DEPENDS ${page_config})
add_dependencies(knead_view page)
set_source_files_properties(view/page.cpp PROPERTIES OBJECT_DEPENDS ${page_config})
target_include_directories(knead_view PRIVATE $<BUILD_INTERFACE:${page_folder}>)
