# cmake -D NPM=npm -D FROM=web -D TO=build/web -D NEEDED=AUTO -P build_page.cmake
# Builds the page from a copy of its sources, so that nothing is written beside them, and leaves
# page_config.h, which says where the page is or why there is none.
file(MAKE_DIRECTORY ${TO}/sources)
foreach(item src public index.html package.json package-lock.json vite.config.ts tsconfig.json)
  if(IS_DIRECTORY ${FROM}/${item})
    file(REMOVE_RECURSE ${TO}/sources/${item})
  endif()
  file(COPY ${FROM}/${item} DESTINATION ${TO}/sources)
endforeach()

function(leave_out why)
  if(NEEDED STREQUAL ON)
    message(FATAL_ERROR "KNEAD_VIEW=ON, but ${why}")
  endif()
  message(WARNING "no page for `knead view`: ${why}")
  file(WRITE ${TO}/page_config.h "#define KNEAD_NO_PAGE \"${why}\"\n")
endfunction()

# What the lock file names, fetched once.
file(SHA256 ${FROM}/package-lock.json lock)
set(fetched ${TO}/sources/node_modules/.knead-${lock})
if(NOT EXISTS ${fetched})
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=30000
                  WORKING_DIRECTORY ${TO}/sources RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message("${said}")
    leave_out("npm could not fetch what the page is built with; remove build/web and build again where it can")
    return()
  endif()
  file(WRITE ${fetched} "")
endif()

execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${TO}/sources RESULT_VARIABLE failed
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "the page does not build:\n${said}")
endif()
file(READ ${TO}/sources/node_modules/three/LICENSE three)
file(WRITE ${TO}/sources/dist/notices.txt "This page holds three.js (https://threejs.org).\n\n${three}")
file(REMOVE_RECURSE ${TO}/page)
file(RENAME ${TO}/sources/dist ${TO}/page)
file(WRITE ${TO}/page_config.h "#define KNEAD_PAGE \"${TO}/page\"\n")
