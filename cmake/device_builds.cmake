# The CUDA sources, built once for every device they run on:
#   knead_device            the one that KNEAD_DEVICE names; a library that knead_sim rests on
#   knead_device_none       no device: says that it is missing
#   knead_device_emulated   kernels compiled as C++, for the emulated device
#   knead_device_race       the same, instrumented for the race checker
#   knead_device_asan       the same, under the address and undefined-behaviour sanitizers, with the
#                           host's side of a run; the rest of the program is not instrumented
# The last four are objects: a program that names them runs on them, and leaves the library aside.
file(GLOB kernel_sources CONFIGURE_DEPENDS cuda/*.cu mpm/cuda/*.cu mpm/cuda/foam/*.cu)
file(GLOB emulator_sources CONFIGURE_DEPENDS cuda/emulated/*.cpp)
list(FILTER emulator_sources EXCLUDE REGEX race_)
file(GLOB race_sources CONFIGURE_DEPENDS cuda/emulated/race_*.cpp)

function(knead_device_library name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC knead_mpm PRIVATE knead_flags)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
endfunction()

# The sources as C++, through copies of their names: a file has one language in a folder.
function(knead_as_cpp sources_out)
  set(as_cpp)
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" file ${path})
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emulated/${file}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"knead/${path}\"\n")
    list(APPEND as_cpp ${wrapper})
  endforeach()
  set(${sources_out} ${as_cpp} PARENT_SCOPE)
endfunction()

# Pragmas and functions for no kernel are nvcc's business.
set(emulated_options -g1 -Wno-unknown-pragmas -Wno-unused-function -Wno-subobject-linkage)
# Lines are named in reports, so code stays where it was written: nothing that makes one of equal
# pieces, and no access is moved or merged with another.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND emulated_options -fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping -fno-tree-pre -fno-code-hoisting
              -fno-tree-loop-im -fno-tree-sink -fno-store-merging -fno-tree-vectorize -fno-optimize-sibling-calls)
endif()
if(NOT KNEAD_SANITIZE)
  list(APPEND emulated_options -O2)
endif()

# knead_emulated_device(NAME KERNEL_OPTIONS): the emulator, NAME_emulator, and the kernels, NAME.
function(knead_emulated_device name emulator_sources)
  knead_device_library(${name}_emulator ${emulator_sources})
  knead_device_library(${name} ${kernels_as_cpp})
  foreach(target ${name}_emulator ${name})
    target_compile_definitions(${target} PRIVATE KNEAD_EMULATED_DEVICE)
    target_compile_options(${target} PRIVATE ${emulated_options})
  endforeach()
endfunction()

if(KNEAD_HAS_EMULATED_DEVICE)
  knead_as_cpp(kernels_as_cpp ${kernel_sources})
  list(FILTER kernels_as_cpp EXCLUDE REGEX cub_algorithms)
  knead_emulated_device(knead_device_emulated "${emulator_sources}")
endif()
if(KNEAD_HAS_RACE_CHECK)
  knead_emulated_device(knead_device_race "${emulator_sources};${race_sources}")
  foreach(target knead_device_race_emulator knead_device_race)
    target_compile_definitions(${target} PRIVATE KNEAD_RACE_CHECK)
  endforeach()
  # The compiler announces every access; the project's own checker listens, not libtsan.
  target_compile_options(knead_device_race PRIVATE -fsanitize=thread --param tsan-distinguish-volatile=1)
endif()
if(KNEAD_HAS_SANITIZED_KERNELS)
  list(APPEND kernels_as_cpp ${CMAKE_CURRENT_SOURCE_DIR}/sim/mpm_on_cuda.cpp)
  knead_emulated_device(knead_device_asan "${emulator_sources}")
  foreach(target knead_device_asan_emulator knead_device_asan)
    target_compile_options(${target} PRIVATE ${knead_kernel_sanitizers})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endforeach()
endif()

# Stands in for all of it; built everywhere, so that it never lags behind (tests/system/without_gpu.py).
knead_device_library(knead_device_none mpm/cuda/without_device.cpp)

# What KNEAD_DEVICE names.
if(KNEAD_DEVICE STREQUAL cuda)
  add_library(knead_device STATIC ${kernel_sources})
  target_link_libraries(knead_device PRIVATE CUDA::cudart_static)
  list(JOIN KNEAD_CUDA_ARCHITECTURES ", " built_for)
  target_compile_definitions(knead_device PRIVATE "KNEAD_CUDA_ARCHITECTURES=\"${built_for}\"")
elseif(KNEAD_DEVICE STREQUAL emulated)
  add_library(knead_device STATIC $<TARGET_OBJECTS:knead_device_emulated>
                                  $<TARGET_OBJECTS:knead_device_emulated_emulator>)
  set_target_properties(knead_device PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(knead_device PRIVATE ${CMAKE_DL_LIBS})
else()
  add_library(knead_device STATIC $<TARGET_OBJECTS:knead_device_none>)
  set_target_properties(knead_device PROPERTIES LINKER_LANGUAGE CXX)
endif()
target_link_libraries(knead_device PUBLIC knead_mpm PRIVATE $<BUILD_INTERFACE:knead_flags>)
knead_shareable(knead_device)
set_property(GLOBAL APPEND PROPERTY knead_folders knead_device)
