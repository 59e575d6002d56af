// Tests that need a GPU skip without one, and say so.
#pragma once

#include <cstdio>

#include "knead/cuda/gpu.h"

#define NEEDS_GPU()                                                                \
    if (const std::string why = knead::why_no_gpu(); !why.empty()) {               \
        std::printf("[ LOUD   ] the CUDA backend was NOT run: %s\n", why.c_str()); \
        GTEST_SKIP() << why;                                                       \
    }
