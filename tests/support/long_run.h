// Under sanitizers everything takes some thirty times longer. A test that only takes the paths of
// shorter ones beside it, for longer or at a finer size, begins with LONG_RUN() and is skipped
// there.
#pragma once

#include <gtest/gtest.h>

#ifdef KNEAD_SANITIZED
#define LONG_RUN() GTEST_SKIP() << "too long under sanitizers"
#else
#define LONG_RUN() static_cast<void>(0)
#endif
