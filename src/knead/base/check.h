// CHECK stops the program where one of our own invariants is broken, with the values at hand.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition, ...)                                                                \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            std::fprintf(stderr, "%s:%d: CHECK failed: %s", __FILE__, __LINE__, #condition); \
            std::fprintf(stderr, " " __VA_ARGS__);                                           \
            std::fprintf(stderr, "\n");                                                      \
            std::abort();                                                                    \
        }                                                                                    \
    } while (false)
