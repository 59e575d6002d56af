# What `--backend cuda` of the program runs on:
#   cuda       an NVIDIA GPU; the default where nvcc is found
#   emulated   this processor, for tests: slow, and strict about mistakes
#   none       nothing: the backend says that it is missing
# Tests run on the emulated device in any case.
include(CheckLanguage)
if(DEFINED KNEAD_CUDA AND NOT KNEAD_CUDA)  # the option's name until version 0.1
  set(device_found none)
else()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER AND NOT KNEAD_SANITIZE AND NOT KNEAD_COVERAGE AND NOT KNEAD_FUZZ)
    set(device_found cuda)
  else()
    set(device_found none)
  endif()
endif()
set(KNEAD_DEVICE ${device_found} CACHE STRING "What --backend cuda runs on: none, cuda or emulated")
set_property(CACHE KNEAD_DEVICE PROPERTY STRINGS none cuda emulated)
if(NOT KNEAD_DEVICE MATCHES "^(none|cuda|emulated)$")
  message(FATAL_ERROR "KNEAD_DEVICE is ${KNEAD_DEVICE}: it must be none, cuda or emulated")
endif()
message(STATUS "--backend cuda runs on: ${KNEAD_DEVICE}")

# Fibres are written for one instruction set, and the thread sanitizer knows nothing of them.
# [src/knead/cuda/emulated/fibre.cpp]
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT KNEAD_SANITIZE MATCHES thread)
  set(KNEAD_HAS_EMULATED_DEVICE ON)
elseif(KNEAD_DEVICE STREQUAL emulated)
  message(FATAL_ERROR "the emulated device runs on x86-64 only")
endif()
# Kernels are instrumented for the race checker as only GCC does it, and not for two checkers at once.
if(KNEAD_HAS_EMULATED_DEVICE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT KNEAD_SANITIZE AND NOT KNEAD_COVERAGE)
  set(KNEAD_HAS_RACE_CHECK ON)
endif()
# Kernels alone under sanitizers, beside a program that is not: minutes instead of an hour to build.
if(KNEAD_HAS_EMULATED_DEVICE AND NOT KNEAD_SANITIZE AND NOT KNEAD_COVERAGE AND NOT KNEAD_FUZZ)
  set(KNEAD_HAS_SANITIZED_KERNELS ON)
  set(knead_kernel_sanitizers -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                              $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overread>)
endif()

if(KNEAD_DEVICE STREQUAL cuda)
  # Compute capabilities: those named, and through the last one's PTX whatever comes later. `all`
  # are those since Turing that nvcc knows.
  set(KNEAD_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities, such as 75;86, or all")
  set(architectures ${KNEAD_CUDA_ARCHITECTURES})
  if(architectures STREQUAL all)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known)
    set(architectures)
    foreach(one 75 80 86 89 90 100 120)
      if(known MATCHES "compute_${one}\n")
        list(APPEND architectures ${one}-real)
        set(last ${one})
      endif()
    endforeach()
    list(APPEND architectures ${last}-virtual)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake 3.25 does not know yet how nvcc is asked for C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
  if(CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
  endif()
  # Host halves are compiled like everything else, so that inline functions are the same there.
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--prec-div=false;--prec-sqrt=false;-Xcompiler=-Wall,-Wextra,-fno-math-errno,-fno-trapping-math,-march=${KNEAD_ARCH}>")
endif()
